#include "tests/support/sample_machine.hpp"

#include <utility>
#include <variant>

#include "sim/model/draft.hpp"
#include "tests/support/known_specs.hpp"

namespace decodesim::tests {

std::unique_ptr<CostModel> sample_cost(CostKind kind) {
  CostSpec cost;
  cost.model = kind;
  ParallelSpec parallel;
  parallel.tp = 8;
  return make_cost_model(cost, llama_3_8b(), hgx_h100(), parallel, PrecisionSpec{});
}

std::unique_ptr<CostModel> with_sample_draft(std::unique_ptr<CostModel> cost, const SpeculativeSpec& speculative,
                                             CostKind kind) {
  CostSpec spec;
  spec.model = kind;
  ParallelSpec parallel;
  parallel.tp = 8;
  return with_draft_of(std::move(cost), speculative, spec, llama_3_8b(), hgx_h100(), parallel, PrecisionSpec{});
}

HostMemory sample_host(CostKind kind, const SchedulerSpec& scheduler, const MemorySpec& memory) {
  Scenario scenario;
  scenario.cost.model = kind;
  scenario.parallel.tp = 8;
  scenario.model = llama_3_8b();
  scenario.hardware = hgx_h100();
  scenario.memory = memory;
  scenario.scheduler = scheduler;
  return std::get<HostMemory>(plan_host(scenario));
}

std::string sample_machine_yaml() {
  return "model: llama-3-8b\nhardware: {node: hgx-h100}\nparallel: {tp: 8}\nprecision: {weights: bf16, kv_cache: "
         "bf16}\n";
}

}  // namespace decodesim::tests
