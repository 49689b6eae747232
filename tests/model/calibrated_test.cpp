// What the calibrated cost model adds to the roofline: kernels one by one, and what they take at least.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "sim/model/cost_model.hpp"
#include "sim/model/kv_cache.hpp"
#include "sim/model/layer_products.hpp"
#include "sim/model/operations.hpp"
#include "sim/model/weights.hpp"
#include "tests/support/known_specs.hpp"

namespace decodesim {
namespace {

struct Server {
  ModelSpec model = tests::llama_3_70b();
  NodeSpec node = tests::hgx_h100();
  ParallelSpec parallel{8};
  PrecisionSpec precision{};
  CostSpec cost{};

  Server() { cost.model = CostKind::calibrated; }
  [[nodiscard]] std::unique_ptr<CostModel> make() const {
    REQUIRE_FALSE(find_cost_error(cost, node, parallel).has_value());
    return make_cost_model(cost, model, node, parallel, precision);
  }
};

StepShape decodes(std::int64_t batch, std::int64_t context) {
  StepShape shape;
  for (std::int64_t i = 0; i < batch; ++i) shape.add(context - 1, 1);
  shape.samples = batch;
  return shape;
}

StepShape prompt(std::int64_t tokens) {
  StepShape shape;
  shape.add(0, tokens);
  return shape;
}

double seconds(const CostModel& cost, const StepShape& shape) { return to_seconds(cost.price(shape).duration()); }

}  // namespace

TEST_CASE("one token uses its own experts, many use nearly all, and none more than there are") {
  CHECK(distinct_experts(8, 2, 1) == doctest::Approx(2));
  CHECK(distinct_experts(8, 2, 2) == doctest::Approx(8 * (1 - 0.75 * 0.75)));
  CHECK(distinct_experts(256, 8, 10'000) == doctest::Approx(256));
  CHECK(distinct_experts(4, 4, 1) == 4);
  double before = 0;
  for (double tokens = 1; tokens < 5000; tokens *= 1.3) {
    const double used = distinct_experts(128, 8, tokens);
    CHECK(used >= before);
    CHECK(used <= 128);
    before = used;
  }
}

TEST_CASE("a mixture of experts reads the experts that its tokens use, so a larger batch reads more weights") {
  Server server;
  server.model = tests::gpt_oss_120b();
  const auto cost = server.make();
  const double one = cost->price(decodes(1, 100)).of(ByteKind::weights).value();
  const double many = cost->price(decodes(2048, 100)).of(ByteKind::weights).value();
  CHECK(one < 0.1 * many);
  // All experts together are nearly all parameters, the input embedding aside.
  const double all = 2 * (layer_parameters(server.model) + lm_head_parameters(server.model));
  CHECK(many == doctest::Approx(all).epsilon(0.02));
}

TEST_CASE("the products of a dense model weigh what its parameters weigh") {
  Server server;
  for (int tp : {1, 2, 4, 8}) {
    server.parallel.tp = tp;
    const double weights = server.make()->price(decodes(1, 100)).of(ByteKind::weights).value();
    const double all = 2 * (layer_parameters(server.model) + lm_head_parameters(server.model));
    CHECK(weights == doctest::Approx(all).epsilon(0.001));
  }
}

TEST_CASE("products of latent attention weigh what the model's parameters leave for them") {
  Server server;
  server.model = tests::deepseek_v2();
  const double many = server.make()->price(decodes(4096, 100)).of(ByteKind::weights).value();
  const double all = 2 * (layer_parameters(server.model) + lm_head_parameters(server.model));
  CHECK(many == doctest::Approx(all).epsilon(0.01));
}

TEST_CASE("absorbed latent attention computes more for each cached token than expanded and reads only the latent") {
  const ModelSpec model = tests::deepseek_v2();
  CHECK(layer_flops_per_pair(model, AttentionForm::absorbed) >
        3 * layer_flops_per_pair(model, AttentionForm::expanded));
  Server server;
  server.model = model;
  const Ledger account = server.make()->price(decodes(10, 1001));
  // Every rank reads the whole latent.
  CHECK(account.of(ByteKind::kv_read).value() == doctest::Approx(8.0 * 10 * 1000 * 576 * 2 * 60));
}

TEST_CASE("products are computed in whole tiles: one row more than a tile costs another round") {
  const ProductRates rates{BytesPerSecond(1e15), FlopsPerSecond(1e12), Seconds(0), 1, 2};
  const Product product{4096, 128, 1};
  const double of_256 = run_product(product, 256, 1, rates).time.value();
  CHECK(of_256 == doctest::Approx(2 * 256.0 * 4096 * 128 / 1e12));
  CHECK(run_product(product, 257, 1, rates).time.value() > of_256 * 1.1);
  // Two copies of a matrix with half of the rows each compute as much and read twice the weights.
  const KernelAccount two = run_product(product, 256, 2, rates);
  CHECK(two.time.value() == doctest::Approx(of_256));
  CHECK(two.weights.value() == 2 * run_product(product, 256, 1, rates).weights.value());
}

TEST_CASE("a decode step costs a straight line in context") {
  Server server;
  const auto cost = server.make();
  const double slope = seconds(*cost, decodes(64, 9000)) - seconds(*cost, decodes(64, 8000));
  const Bytes rank = kv_bytes_per_token_per_rank(server.model, Precision::bf16, 8);
  const double bandwidth = server.node.gpu.hbm_bandwidth.value() * server.node.gpu.sustained.hbm * 0.94;
  CHECK(slope == doctest::Approx(64'000 * rank.value() / bandwidth).epsilon(1e-4));
  CHECK(seconds(*cost, decodes(64, 31'000)) - seconds(*cost, decodes(64, 30'000)) == doctest::Approx(slope));
}

TEST_CASE("an 8-bit cache is read at its own share of the bandwidth") {
  Server wide;
  Server narrow;
  narrow.precision.kv_cache = Precision::fp8;
  const auto attention = [](const Server& server) {
    return to_seconds(server.make()->price(decodes(256, 100'000)).of(TimePart::attention));
  };
  const double ratio = attention(wide) / attention(narrow);
  CHECK(ratio == doctest::Approx(2 * 0.85 / 0.94).epsilon(0.01));
}

TEST_CASE("small steps wait for kernels and for the time between steps, whatever the GPU's bandwidth") {
  Server server;
  const Ledger account = server.make()->price(decodes(1, 100));
  const double layers = server.model.layers;
  const EfficiencySpec& engine = server.cost.efficiency;
  CHECK(to_seconds(account.of(BoundBy::latency)) ==
        doctest::Approx(layers * (4 * engine.kernel.value() + engine.attention.value() +
                                  engine.attention_sequence.value() + 2 * engine.elementwise.value()) +
                        engine.kernel.value()));
  CHECK(to_seconds(account.of(TimePart::sampling)) == doctest::Approx(engine.step.value() + engine.sequence.value()));
}

TEST_CASE("the host's time grows with the sequences of a step, and only it runs beside the device") {
  Server server;
  server.cost.host_time = Duration(1'000);
  server.cost.host_per_sequence = Duration(10);
  CHECK(server.make()->price(decodes(50, 100)).of(TimePart::host) == Duration(1'500));
  const auto beside = with_host_beside_device(server.make());
  const Ledger account = beside->price(decodes(50, 100));
  CHECK(account.of(TimePart::host) == Duration(0));
  CHECK(account.hidden_host == Duration(1'500));
  CHECK(account.of(TimePart::sampling) == server.make()->price(decodes(50, 100)).of(TimePart::sampling));
}

TEST_CASE("clipped sums are those over what each query sees, token by token") {
  for (const std::int64_t clip : {std::int64_t{1}, std::int64_t{7}, std::int64_t{40}, StepShape::unclipped}) {
    for (const std::int64_t cached : {0, 3, 6, 7, 100}) {
      for (const std::int64_t tokens : {1, 2, 5, 30}) {
        StepShape shape;
        shape.add(cached, tokens, clip);
        std::int64_t pairs = 0;
        for (std::int64_t i = 1; i <= tokens; ++i) pairs += std::min(cached + i, clip);
        CHECK((tokens == 1 ? shape.decode_clipped : shape.chunk_clipped_pairs) == pairs);
        shape.remove(cached, tokens, clip);
        CHECK(shape == StepShape{});
      }
    }
  }
}

TEST_CASE("layers with a window stop reading more once the context passes it") {
  Server server;
  server.model = tests::gemma_3_27b();  // 10 of 62 layers see everything, the others 1,024 tokens
  const auto cost = server.make();
  const auto read = [&](std::int64_t context) {
    StepShape shape;
    shape.add(context - 1, 1, attention_clip(server.model));
    return cost->price(shape).of(ByteKind::kv_read).value();
  };
  const KvPageBytes rank = kv_page_bytes_per_token(server.model, Precision::bf16, 8);
  CHECK(read(1001) == doctest::Approx(8 * 62 * 1000 * rank.full.value()));
  CHECK(read(50'001) == doctest::Approx(8 * (10 * 50'000 + 52 * 1023) * rank.full.value()));
}

TEST_CASE("attention that reads the best tokens reads so many, and looks at a small key of all") {
  Server server;
  server.model = tests::deepseek_v2();
  server.model.sparse = {.top_k = Tokens(2048), .index_heads = 64, .index_dim = 128};
  const auto cost = server.make();
  StepShape shape;
  shape.add(100'000, 1, attention_clip(server.model));
  const double layers = server.model.layers;
  const Ledger account = cost->price(shape);
  CHECK(account.of(ByteKind::kv_read).value() == doctest::Approx(8 * layers * (2047 * 576 * 2 + 100'000 * 128)));
  Server all;
  all.model = tests::deepseek_v2();
  CHECK(account.of(TimePart::attention) < all.make()->price(decodes(1, 100'001)).of(TimePart::attention));
}

TEST_CASE("a layer with a state reads and writes it, whatever the context") {
  Server server;
  server.model.linear = {.full_every = 4, .state = Bytes(8e6)};
  const auto cost = server.make();
  const Bytes rank = kv_page_bytes_per_token(server.model, Precision::bf16, 8).full;
  for (const std::int64_t context : {2, 5000}) {
    const Ledger account = cost->price(decodes(3, context));
    const double cache = 8 * 20 * rank.value() * 3;
    CHECK(account.of(ByteKind::kv_read).value() ==
          doctest::Approx(cache * static_cast<double>(context - 1) + 3 * 60 * 8e6));
    CHECK(account.of(ByteKind::kv_write).value() == doctest::Approx(cache + 3 * 60 * 8e6));
  }
}

TEST_CASE("prices beyond the table continue those in it") {
  const auto cost = Server().make();
  const double before = seconds(*cost, decodes(4095, 10));
  const double after = seconds(*cost, decodes(4097, 10));
  CHECK(after > before);
  CHECK(after < before * 1.05);
}

TEST_CASE("at several hundred sequences a GPU arithmetic dominates an FP8 server, as bytes alone do not tell") {
  Server server;
  server.precision = {Precision::fp8, Precision::fp8};
  const Ledger account = server.make()->price(decodes(4000, 300));
  CHECK(account.of(BoundBy::compute) > account.of(BoundBy::bandwidth));
  CHECK(seconds(*server.make(), prompt(8192)) > 0.05);
}

}  // namespace decodesim
