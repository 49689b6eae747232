#include "sim/model/kv_cache.hpp"

#include <doctest/doctest.h>

#include "tests/support/known_specs.hpp"

namespace decodesim {
namespace {
constexpr double KiB = 1024;
constexpr double GiB = 1024.0 * 1024 * 1024;
}  // namespace

TEST_CASE("a token's KV cache is a key and a value of each KV head in each layer") {
  CHECK(kv_bytes_per_token(tests::llama_3_70b(), Precision::bf16).value() == 327'680);
  CHECK(kv_bytes_per_token(tests::llama_70b_mha(), Precision::bf16).value() == 2'621'440);
  CHECK(kv_bytes_per_token_per_layer(tests::llama_3_8b(), Precision::bf16).value() == 4'096);
  CHECK(kv_bytes_per_token(tests::llama_3_8b(), Precision::bf16).value() == 128 * KiB);
}

TEST_CASE("a sequence's KV cache grows with its context") {
  CHECK(kv_bytes_per_sequence(tests::llama_3_8b(), Precision::bf16, Tokens(8192)).value() == GiB);
  CHECK(kv_bytes_per_sequence(tests::llama_3_70b(), Precision::bf16, Tokens(8192)).value() == 2.5 * GiB);
  CHECK(kv_bytes_per_sequence(tests::llama_70b_mha(), Precision::fp16, Tokens(131072)).value() ==
        doctest::Approx(344e9).epsilon(0.002));
}

TEST_CASE("a cache in 8, 6 or 4 bits takes 1, 0.75 or 0.5 bytes a value") {
  const double values = kv_bytes_per_token(tests::llama_3_70b(), Precision::bf16).value() / 2;
  CHECK(kv_bytes_per_token(tests::llama_3_70b(), Precision::fp8).value() == values);
  CHECK(kv_bytes_per_token(tests::llama_3_70b(), Precision::fp6).value() == 0.75 * values);
  CHECK(kv_bytes_per_token(tests::llama_3_70b(), Precision::int4).value() == 0.5 * values);
}

TEST_CASE("a latent cache holds one vector for all heads") {
  CHECK(kv_values_per_token_per_layer(tests::deepseek_v2()) == 512 + 64);
  const double latent = kv_bytes_per_token(tests::deepseek_v2(), Precision::fp6).value();
  const double plain = kv_bytes_per_token(tests::deepseek_67b(), Precision::bf16).value();
  CHECK(latent == 60 * 576 * 0.75);
  CHECK(plain == 2.0 * 95 * 8 * 128 * 2);
  CHECK(1 - latent / plain == doctest::Approx(0.933).epsilon(0.0005));
}

TEST_CASE("sliding-window layers hold the last tokens of the window alone") {
  const ModelSpec gemma = tests::gemma_3_27b();
  const double layer_token = 2.0 * 16 * 128 * 2;
  const auto bytes = [&](std::int64_t context) {
    return kv_bytes_per_sequence(gemma, Precision::bf16, Tokens(context)).value();
  };
  CHECK(bytes(1) == 62 * layer_token);
  CHECK(bytes(1024) == 62 * 1024 * layer_token);
  CHECK(bytes(1025) == (10 * 1025 + 52 * 1024) * layer_token);
  CHECK(bytes(131072) == (10.0 * 131072 + 52 * 1024) * layer_token);
  // Sizing the pool ignores the windows.
  CHECK(kv_bytes_per_token(gemma, Precision::bf16).value() == 62 * layer_token);
  ModelSpec all_windows = gemma;
  all_windows.window.global_every = 0;
  CHECK(kv_bytes_per_sequence(all_windows, Precision::bf16, Tokens(131072)).value() == 62 * 1024 * layer_token);
}

TEST_CASE("ranks share the KV heads, at least one each, and hold the whole latent") {
  const ModelSpec model = tests::llama_3_70b();
  const double whole = kv_bytes_per_token(model, Precision::bf16).value();
  for (int tp : {1, 2, 4, 8}) {
    CHECK(kv_bytes_per_token_per_rank(model, Precision::bf16, tp).value() == whole / tp);
    CHECK(kv_copies(model, tp) == 1);
  }
  CHECK(kv_heads_per_rank(model, 16) == 1);
  CHECK(kv_bytes_per_token_per_rank(model, Precision::bf16, 16).value() == whole / 8);
  CHECK(kv_copies(model, 16) == 2);
  for (int tp : {1, 8, 16}) {
    const ModelSpec latent = tests::deepseek_v2();
    CHECK(kv_bytes_per_token_per_rank(latent, Precision::bf16, tp) == kv_bytes_per_token(latent, Precision::bf16));
    CHECK(kv_copies(latent, tp) == tp);
  }
}

TEST_CASE("the fullest rank counts where heads do not divide evenly") {
  ModelSpec model = tests::llama_3_70b();
  model.kv_heads = 10;
  CHECK(kv_heads_per_rank(model, 4) == 3);
}

TEST_CASE("a latent is kept as it is, aligned to 256 bytes, or as heads where no kernel knows it") {
  ModelSpec model = tests::deepseek_v2();
  model.mla.cached_as = LatentCache::aligned_256_bytes;
  CHECK(kv_bytes_per_token_per_rank(model, Precision::bf16, 8).value() == 60 * 640 * 2);
  CHECK(kv_bytes_per_token_per_rank(model, Precision::fp8, 8).value() == 60 * 768);
  CHECK(kv_copies(model, 8) == 8);
  // Keys of 128 + 64 values are filled up to 256, and so are the values; but heads are split over the ranks.
  model.mla.cached_as = LatentCache::no_mla_kernel;
  CHECK(kv_bytes_per_token_per_rank(model, Precision::bf16, 8).value() == 983'040);
  CHECK(kv_copies(model, 8) == 1);
}

TEST_CASE("windowed layers may have heads of their own") {
  ModelSpec model = tests::gemma_3_27b();
  model.window.kv_heads = 8;
  model.window.head_dim = 64;
  const double global = 2.0 * 16 * 128 * 2;
  const double window = 2.0 * 8 * 64 * 2;
  CHECK(kv_bytes_per_token(model, Precision::bf16).value() == 10 * global + 52 * window);
  CHECK(kv_bytes_per_sequence(model, Precision::bf16, Tokens(5000)).value() == 10 * 5000 * global + 52 * 1024 * window);
  CHECK(kv_bytes_per_token_per_rank(model, Precision::bf16, 16).value() == 2 * 2.0 * 128 * 10 + 2 * 2.0 * 64 * 52);
}

TEST_CASE("layers with a state cache no tokens and keep the state") {
  ModelSpec model = tests::llama_3_8b();
  model.linear = {4, Bytes(1e6)};
  CHECK(model.global_layers() == 8);
  CHECK(model.state_layers() == 24);
  CHECK(kv_bytes_per_token(model, Precision::bf16).value() == 8 * 4'096);
  CHECK(kv_bytes_per_sequence(model, Precision::bf16, Tokens(100)).value() == 8 * 4'096 * 100 + 24e6);
}

TEST_CASE("cross-attention and draft layers are cached beyond the model's own") {
  ModelSpec model = tests::llama_3_8b();
  model.cross_attention_layers = 8;
  CHECK(kv_bytes_per_token(model, Precision::bf16).value() == 40 * 4'096);
  model.draft_layers = 1;
  CHECK(kv_bytes_per_token_per_rank(model, Precision::bf16, 2).value() == 41 * 2'048);
}

}  // namespace decodesim
