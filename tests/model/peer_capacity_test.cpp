// Recorded cases of other projects about capacity: bytes of a token, blocks of a budget, groups of layers.

#include <doctest/doctest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "sim/model/kv_cache.hpp"
#include "sim/scenario/catalog_entry.hpp"
#include "sim/scenario/diagnostic.hpp"
#include "sim/scenario/load.hpp"
#include "tests/support/kv_cases.hpp"
#include "tests/support/peer_cases.hpp"

namespace decodesim::tests {
namespace {

MemoryPlan planned(const LoggedServer& server) {
  const auto plan = server.plan();
  REQUIRE(std::holds_alternative<MemoryPlan>(plan));
  return std::get<MemoryPlan>(plan);
}

/// Layers of this shape with a 16-bit cache, and blocks of 16.
LoggedServer server_of(int layers, int kv_heads, int head_dim) {
  LoggedServer server;
  server.model.layers = layers;
  server.model.heads = server.model.kv_heads = kv_heads;
  server.model.head_dim = head_dim;
  return server;
}

/// The same with pages of 16,384 bytes and a pool of so many.
LoggedServer server_of_pages(int layers, double pages) {
  LoggedServer server = server_of(layers, 2, 128);
  server.memory.kv_cache = Bytes(16384 * pages);
  return server;
}

}  // namespace

TEST_CASE("recorded bytes of a token and a rank are ours") {
  const auto lab = peer_case("il-22");
  const auto configurator = peer_case("cap-07");
  if (!lab || !configurator) return;
  const json& dense = lab->at("inputs");
  const LoggedServer server = server_of(dense.at("layers"), dense.at("kv_heads"), dense.at("head_dim"));
  CHECK(kv_bytes_per_token(server.model, Precision::bf16).value() == lab->at("expected").at("kv_bytes_per_token"));
  const json& ranks = configurator->at("inputs");
  const json& bytes = configurator->at("expected").at("bytes");
  ModelSpec model = server_of(ranks.at("layers"), ranks.at("kv_heads"), ranks.at("head_dim")).model;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    CHECK(kv_bytes_per_token_per_rank(model, Precision::bf16, ranks.at("tp").at(i)).value() == bytes.at(i));
  model.layers = 61;
  model.mla = {512, 64};
  for (int tp : {1, 8})
    CHECK(kv_bytes_per_token_per_rank(model, Precision::bf16, tp).value() == configurator->at("expected").at("mla"));
}

TEST_CASE("recorded budgets give their blocks, or an error") {
  const auto total = peer_case("cap-02");
  const auto none = peer_case("cap-03");
  const auto override = peer_case("v1-kv-11");
  if (!total || !none || !override) return;
  const auto budget = [](const json& inputs, const char* memory) {
    LoggedServer server = server_of(32, 8, 128);
    server.gpu.memory_reported = Bytes(inputs.at(memory).get<double>() * GiB);
    server.memory.utilization = inputs.at("fraction");
    server.memory.weights = Bytes(inputs.at("non_kv_gib").get<double>() * GiB);
    server.memory.runtime_overhead = Bytes(0);
    return server;
  };
  const MemoryPlan plan = planned(budget(total->at("inputs"), "total_gib"));
  CHECK(plan.pool.value() / GiB == doctest::Approx(total->at("expected").at("kv_gib").get<double>()));
  CHECK(plan.tokens.value() == total->at("expected").at("tokens"));
  CHECK(std::holds_alternative<PlanError>(budget(none->at("inputs"), "total_gib").plan()));
  LoggedServer given = server_of_pages(2, 2 * override->at("inputs").at("computed").get<double>());
  CHECK(planned(given).num_blocks.value() == override->at("inputs").at("computed"));
  given.memory.num_gpu_blocks = override->at("inputs").at("override").get<std::int64_t>();
  CHECK(planned(given).num_blocks.value() == override->at("expected").at("blocks"));
}

TEST_CASE("recorded tokens are whole blocks, and a block has at least one token") {
  const auto one = peer_case("cap-05");
  const auto ahead = peer_case("v1-kv-03");
  if (!one || !ahead) return;
  LoggedServer server = server_of(32, 8, 128);
  server.memory.block_size = one->at("inputs").at("block_size");
  for (std::int64_t tokens : {64, 127, 128, 100'000}) {
    server.memory.num_gpu_tokens = tokens;
    CHECK(planned(server).num_blocks.value() == tokens / server.memory.block_size);
  }
  for (const json& bad : one->at("inputs").at("bad")) {
    std::vector<Diagnostic> warnings;
    const std::string text =
        "version: 1\nmemory: {num_gpu_blocks: 9, block_size: " + bad.dump() +
        "}\ncost: {model: fixed}\nworkload: {num_requests: 3, input_tokens: 5, output_tokens: 2}\n";
    CHECK_THROWS_AS(load_scenarios_text(text, "s.yaml", ".", {}, warnings), ScenarioError);
  }
  // Tokens that are written ahead need their place too.
  server.memory.block_size = ahead->at("inputs").at("block_size");
  const MemoryPlan plan = planned(server);
  for (std::size_t i = 0; i < ahead->at("expected").at("blocks").size(); ++i) {
    const json& tokens = ahead->at("inputs").at("cases").at(i);
    CHECK(plan.blocks_of(tokens.at("new").get<std::int64_t>() + tokens.at("lookahead").get<std::int64_t>(), 1) ==
          ahead->at("expected").at("blocks").at(i));
  }
}

TEST_CASE("the recorded longest sequence is what the pool holds, and no longer than what was asked") {
  const auto one = peer_case("v1-kv-01");
  if (!one) return;
  const json& inputs = one->at("inputs");
  LoggedServer server = server_of(inputs.at("layers"), inputs.at("kv_heads"), inputs.at("head_dim"));
  CHECK(kv_bytes_per_token(server.model, Precision::bf16).value() == one->at("expected").at("bytes_per_token"));
  server.memory.kv_cache = Bytes(inputs.at("kv_memory_gib").get<double>() * GiB);
  const MemoryPlan plan = planned(server);
  for (std::size_t i = 0; i < inputs.at("asked").size(); ++i) {
    const std::int64_t asked = inputs.at("asked").at(i);
    CHECK(longest_sequence(plan, asked, 2048) == one->at("expected").at("estimated_max_model_len").at(i));
    CHECK(start_objection(plan, asked, 2048).has_value() == (asked > 16384));
  }
}

TEST_CASE("recorded layers of two kinds share a pool in groups") {
  const auto plain = peer_case("v1-kv-04");
  const auto two_kinds = peer_case("v1-kv-06");
  const auto close = peer_case("v1-kv-08");
  const auto unequal = peer_case("v1-kv-09");
  if (!plain || !two_kinds || !close || !unequal) return;
  CHECK(planned(server_of_pages(2, plain->at("inputs").at("memory_pages"))).num_blocks.value() ==
        plain->at("expected").at("blocks"));
  LoggedServer server = server_of_pages(6, two_kinds->at("inputs").at("memory_pages"));
  server.model.window = {Tokens(512), 3};
  server.memory.window_layers = WindowBlocks::apart;
  const MemoryPlan plan = planned(server);
  CHECK(plan.groups.count() == two_kinds->at("expected").at("groups"));
  CHECK(plan.groups.layers == two_kinds->at("expected").at("layers_per_group"));
  CHECK(plan.num_blocks.value() == two_kinds->at("expected").at("blocks"));
  // Sizes that are close make the larger one the size of a group.
  const LayerGroups groups = group_layers({6, 5, 0});
  CHECK(groups.count() == close->at("expected").at("groups"));
  CHECK(close->at("inputs").at("memory_pages").get<int>() / groups.layers == close->at("expected").at("blocks"));
  // Heads of two widths, both with the whole context: 128 values and 64.
  LoggedServer uneven = server_of(2, 2, 128);
  uneven.model.window = {Tokens(512), 2, 2, 64};
  uneven.memory.kv_cache = Bytes(8192.0 * unequal->at("inputs").at("memory_pages_of_64").get<double>());
  CHECK(planned(uneven).num_blocks.value() == unequal->at("expected").at("blocks"));
}

TEST_CASE("recorded pools of windows divide the memory by window, layers and bytes") {
  const auto one = peer_case("trt-kv-09");
  if (!one) return;
  std::vector<WindowPool> pools;
  for (const auto& [window, layers] : one->at("inputs").at("windows_layers").items())
    pools.push_back({std::stoll(window), layers.get<int>(), 1});
  const std::vector<double> shares = window_shares(pools);
  const double total = one->at("inputs").at("total_blocks");
  for (std::size_t i = 0; i < shares.size(); ++i) {
    CHECK(shares[i] == doctest::Approx(one->at("expected").at("shares").at(i).get<double>()).epsilon(0.002));
    CHECK(std::round(shares[i] * total) == one->at("expected").at("blocks").at(i));
  }
  // As the case's note has them with bytes of their own.
  const std::vector<double> uneven = window_shares({{1024, 1, 2}, {4096, 3, 4}, {8192, 2, 1}});
  CHECK(uneven[0] == doctest::Approx(0.0303).epsilon(0.002));
  CHECK(uneven[1] == doctest::Approx(0.7273).epsilon(0.002));
}

TEST_CASE("recorded sequences weigh a window, or a state, in whole blocks") {
  const auto one = peer_case("il-10");
  if (!one) return;
  const json& inputs = one->at("inputs");
  // The test's token has 100 bytes.
  ModelSpec windowed = server_of(1, 1, 25).model;
  const double block = kv_bytes_per_token(windowed, Precision::bf16).value() * inputs.at("block_size").get<double>();
  CHECK(block == 1600);
  windowed.window = {Tokens(inputs.at("cases").at(0).at("window").get<std::int64_t>()), 0};
  ModelSpec hybrid = server_of(2, 1, 25).model;
  hybrid.linear = {2, Bytes(inputs.at("cases").at(1).at("state_bytes").get<double>())};
  const auto weigh = [&](const ModelSpec& model, std::size_t i) {
    const Tokens tokens(inputs.at("cases").at(i).at("tokens").get<std::int64_t>());
    return std::ceil(kv_bytes_per_sequence(model, Precision::bf16, tokens).value() / block);
  };
  CHECK(weigh(windowed, 0) == one->at("expected").at("blocks").at(0));
  CHECK(weigh(hybrid, 1) == one->at("expected").at("blocks").at(1));
}

// Batches that did not run out of memory on real H100s. The overheads are our defaults, for the largest step of each row.
TEST_CASE("the recorded largest batches of TensorRT-LLM are within a tenth of what the defaults leave room for") {
  const auto one = peer_case("cap-08");
  if (!one) return;
  const Catalog catalog = find_catalog();
  std::vector<double> errors;
  for (const json& row : one->at("inputs").at("rows")) {
    if (row.at("system") != "h100_sxm") continue;
    const bool qwen = row.at("model").get<std::string>().starts_with("Qwen");
    LoggedServer server;
    server.model = load_model(catalog, qwen ? "qwen3-32b" : "llama-3.1-8b");
    server.gpu = load_gpu(catalog, "h100-sxm");
    server.parallel.tp = row.at("tp");
    server.precision.weights = qwen ? Precision::fp8 : Precision::bf16;
    server.memory.accounting = Accounting::trtllm;
    server.memory.utilization = row.at("fraction");
    server.memory.block_size = 32;
    const std::int64_t input = row.at("isl");
    const std::int64_t sequence = input + row.at("osl").get<std::int64_t>() + 1000;
    server.limits = {2 * input, 256, sequence};
    const double ours = static_cast<double>(planned(server).tokens.value() / sequence);
    errors.push_back(ours / row.at("max_batch").get<double>() - 1);
    CAPTURE(row.dump());
    CAPTURE(ours);
    CHECK(std::fabs(errors.back()) <= 0.1);
  }
  CHECK(errors.size() == 24);
}

}  // namespace decodesim::tests
