#include "sim/scenario/pool.hpp"

#include "sim/model/deployment_fields.hpp"
#include "sim/model/draft.hpp"
#include "sim/model/memory_plan.hpp"
#include "sim/serving/policy_table.hpp"

namespace decodesim {

std::variant<Pool, PlanError> plan_pool(const Scenario& scenario) {
  Pool pool;
  if (scenario.memory.num_gpu_blocks) {
    pool.num_blocks = *scenario.memory.num_gpu_blocks;
  } else {
    const auto plan = plan_memory(
        scenario.model, scenario.hardware.gpu, scenario.parallel, scenario.precision, scenario.memory,
        draft_share(scenario.scheduler.speculative, scenario.model, scenario.precision, scenario.parallel.tp));
    if (const auto* error = std::get_if<PlanError>(&plan)) return *error;
    pool.num_blocks = std::get<MemoryPlan>(plan).num_blocks.value();
    if (static_cast<double>(pool.num_blocks) > most_blocks) {
      return PlanError{"memory.block_size",
                       "the KV pool would have " + std::to_string(pool.num_blocks) + " blocks, and the most is " +
                           std::to_string(static_cast<std::int64_t>(most_blocks)) + "; raise memory.block_size"};
    }
  }
  const EngineRow* engine = find_engine(scenario.scheduler.engine);
  pool.usable_blocks = pool.num_blocks - (engine != nullptr && engine->keeps_null_block ? 1 : 0);
  if (pool.usable_blocks < 1) {
    return PlanError{scenario.memory.num_gpu_blocks ? "memory.num_gpu_blocks" : "memory.utilization",
                     "the pool has " + std::to_string(pool.num_blocks) +
                         " block, which the engine keeps as its null block; a request needs another"};
  }
  return pool;
}

std::int64_t model_len_limit(const Scenario& scenario) {
  if (scenario.scheduler.max_model_len) return *scenario.scheduler.max_model_len;
  return scenario.model.layers > 0 ? scenario.model.max_model_len.value() : no_model_len_limit;
}

std::optional<std::string> startup_objection(const Scenario& scenario, const Pool& pool) {
  const std::int64_t limit = model_len_limit(scenario);
  const std::int64_t capacity = pool.num_blocks * scenario.memory.block_size;
  if (limit == no_model_len_limit || capacity >= limit) return std::nullopt;
  return "the pool has " + std::to_string(capacity) +
         " tokens as a server counts them, fewer than one sequence of max_model_len " + std::to_string(limit);
}

}  // namespace decodesim
