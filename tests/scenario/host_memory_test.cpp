// The host's memory as scenarios state it.

#include "sim/scenario/host_memory.hpp"

#include <doctest/doctest.h>

#include <variant>

#include "tests/support/known_specs.hpp"
#include "tests/support/sample_machine.hpp"

namespace decodesim::tests {

namespace {

Scenario swapping() {
  Scenario scenario;
  scenario.model = llama_3_8b();
  scenario.hardware = hgx_h100();
  scenario.parallel.tp = 8;
  scenario.scheduler.engine = "vllm-v0";
  scenario.scheduler.vllm_v0.preemption_mode = PreemptionMode::swap;
  return scenario;
}

HostMemory host_of(const Scenario& scenario) {
  const auto host = plan_host(scenario);
  REQUIRE(std::holds_alternative<HostMemory>(host));
  return std::get<HostMemory>(host);
}

}  // namespace

TEST_CASE("a scheduler that never swaps has no host memory") {
  Scenario scenario = swapping();
  scenario.scheduler.vllm_v0.preemption_mode = PreemptionMode::recompute;
  CHECK(host_of(scenario).blocks == 0);
  scenario.scheduler.policies.kv_fate = "cheaper";
  CHECK(host_of(scenario).blocks > 0);
}

TEST_CASE("4 GiB a GPU hold as many blocks as fit a rank's share, and the link is what the node states, less a fifth") {
  const HostMemory host = host_of(swapping());
  // 8B with 8 KV heads on 8 ranks: one head of 128 values, keys and values, 32 layers, 2 bytes, 16 tokens: 256 KiB.
  CHECK(host.transfer.block_bytes == Bytes(262144));
  CHECK(host.blocks == 16384);
  CHECK(host.transfer.block_messages == 64);
  CHECK(host.transfer.bandwidth.value() == doctest::Approx(0.78 * 64e9));
}

TEST_CASE("blocks and bandwidth that are stated are taken as they are") {
  Scenario scenario = swapping();
  scenario.memory.host_swap.blocks = 7;
  scenario.memory.host_link.bandwidth = BytesPerSecond(12e9);
  CHECK(host_of(scenario).blocks == 7);
  CHECK(host_of(scenario).transfer.bandwidth == BytesPerSecond(12e9));
}

TEST_CASE("transfers run beside the step only where that is stated") {
  Scenario scenario = swapping();
  CHECK(!host_of(scenario).transfer.beside_step);
  scenario.memory.host_link.overlap = HostOverlap::step;
  CHECK(host_of(scenario).transfer.beside_step);
}

TEST_CASE("under a fixed step transfers take no time") {
  Scenario scenario = swapping();
  scenario.cost.model = CostKind::fixed;
  CHECK(host_of(scenario).transfer.time(1000) == Duration(0));
  CHECK(host_of(scenario).transfer.bytes(1) == Bytes(8 * 262144.0));
}

TEST_CASE("what nothing tells must be stated: blocks without a model, a bandwidth without a way to the host") {
  Scenario without_model = swapping();
  without_model.model = {};
  const auto blocks = plan_host(without_model);
  REQUIRE(std::holds_alternative<PlanError>(blocks));
  CHECK(std::get<PlanError>(blocks).key == "memory.host_swap");

  Scenario without_way = swapping();
  std::erase_if(without_way.hardware.links, [](const LinkSpec& link) { return link.to == "host"; });
  const auto way = plan_host(without_way);
  REQUIRE(std::holds_alternative<PlanError>(way));
  CHECK(std::get<PlanError>(way).key == "memory.host_link");
}

}  // namespace decodesim::tests
