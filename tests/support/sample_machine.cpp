#include "tests/support/sample_machine.hpp"

#include <utility>
#include <variant>

#include "sim/model/draft.hpp"
#include "tests/support/known_specs.hpp"

namespace decodesim::tests {

namespace {

ModelSpec sample_model(std::int64_t window) {
  ModelSpec model = llama_3_8b();
  if (window > 0) model.window = {.size = Tokens(window), .global_every = 2};
  return model;
}

}  // namespace

std::unique_ptr<CostModel> sample_cost(CostKind kind, std::int64_t window) {
  CostSpec cost;
  cost.model = kind;
  ParallelSpec parallel;
  parallel.tp = 8;
  return make_cost_model(cost, sample_model(window), hgx_h100(), parallel, PrecisionSpec{});
}

std::unique_ptr<CostModel> with_sample_draft(std::unique_ptr<CostModel> cost, const SpeculativeSpec& speculative,
                                             CostKind kind, std::int64_t window) {
  CostSpec spec;
  spec.model = kind;
  ParallelSpec parallel;
  parallel.tp = 8;
  return with_draft_of(std::move(cost), speculative, spec, sample_model(window), hgx_h100(), parallel, PrecisionSpec{});
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

std::string sample_machine_yaml(std::int64_t window) {
  const std::string model =
      window > 0 ? "{like: llama-3-8b, window: {size: " + std::to_string(window) + ", global_every: 2}}" : "llama-3-8b";
  return "model: " + model +
         "\nhardware: {node: hgx-h100}\nparallel: {tp: 8}\nprecision: {weights: bf16, kv_cache: "
         "bf16}\n";
}

}  // namespace decodesim::tests
