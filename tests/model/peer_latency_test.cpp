// Recorded cases of other simulators that say how long something takes.

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "sim/model/cost_model.hpp"
#include "sim/model/host_transfer.hpp"
#include "sim/report/physical_bound.hpp"
#include "tests/support/known_specs.hpp"
#include "tests/support/peer_cases.hpp"

namespace decodesim::tests {

namespace {

/// Code Llama 34B, as its config.json has it.
ModelSpec code_llama_34b() {
  ModelSpec model;
  model.parameters = 33.74e9;
  model.layers = 48;
  model.hidden_size = 8192;
  model.heads = 64;
  model.kv_heads = 8;
  model.head_dim = 128;
  model.intermediate_size = 22016;
  model.vocab_size = 32000;
  model.max_model_len = Tokens(16384);
  return model;
}

}  // namespace

TEST_CASE("KV that is handed on takes its bytes over the bandwidth") {
  const auto one = peer_case("dyn-v1-06");
  if (!one) return;
  const nlohmann::json& given = one->at("inputs");
  HostTransfer link;
  link.block_bytes = Bytes(given.at("bytes_per_token").get<double>());
  link.bandwidth = BytesPerSecond(given.at("bandwidth_bytes_per_s").get<double>());
  CHECK(to_milliseconds(link.time(given.at("tokens").get<std::int64_t>())) ==
        one->at("expected").at("delay_ms").get<double>());
}

TEST_CASE("no cost model prices a 34B model in 16 bits on one GPU at a recorded step that memory does not allow") {
  const auto one = peer_case("isim-34");
  if (!one) return;
  const double recorded = one->at("expected").at("codellama_34b_tp1").at("itl_mean_ms").get<double>();
  const NodeSpec node = hgx_h100();
  StepShape step;
  step.add(300, 1);
  step.samples = 1;
  Ledger account;
  for (const CostKind kind : {CostKind::ideal, CostKind::roofline, CostKind::calibrated}) {
    CostSpec cost;
    cost.model = kind;
    account = make_cost_model(cost, code_llama_34b(), node, ParallelSpec{1}, {})->price(step);
    CHECK(to_milliseconds(account.duration()) > 5 * recorded);
  }
  // The same bytes in the recorded time are refused.
  Ledger too_fast;
  too_fast.bytes = account.bytes;
  too_fast.spend(TimePart::fixed, BoundBy::fixed, to_duration(Seconds(recorded / 1e3)));
  CHECK_FALSE(PhysicalBound{node.gpu.hbm_bandwidth, node.gpu.peak_bf16}.allows(too_fast));
}

}  // namespace decodesim::tests
