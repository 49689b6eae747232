#include "sim/scenario/pool.hpp"

#include "sim/model/deployment_fields.hpp"
#include "sim/model/draft.hpp"
#include "sim/model/overhead.hpp"
#include "sim/serving/policy_table.hpp"

namespace decodesim {

namespace {

/// The key that decides how large the pool is.
std::string what_gives_the_pool(const MemorySpec& memory) {
  if (memory.num_gpu_blocks) return "memory.num_gpu_blocks";
  if (memory.num_gpu_tokens) return "memory.num_gpu_tokens";
  return memory.kv_cache ? "memory.kv_cache" : "memory.utilization";
}

}  // namespace

ServerLimits limits_of(const Scenario& scenario) {
  const std::int64_t longest = model_len_limit(scenario);
  return {scenario.scheduler.trtllm.max_num_tokens.value_or(scenario.scheduler.max_num_batched_tokens),
          scenario.scheduler.max_num_seqs, longest == no_model_len_limit ? 0 : longest};
}

void complete_overhead(Scenario& scenario) {
  MemorySpec& memory = scenario.memory;
  if (scenario.model.layers == 0 || !overhead_has_parts(memory)) return;
  const Overhead parts =
      overhead_of(scenario.model, scenario.hardware.gpu, scenario.parallel, memory, limits_of(scenario));
  memory.non_torch = parts.non_torch;
  if (activations_count(memory)) memory.activation_peak = parts.activation_peak;
  if (graphs_count(memory)) memory.cuda_graphs = parts.cuda_graphs;
}

std::variant<MemoryPlan, PlanError> plan_memory_of(const Scenario& scenario) {
  return plan_memory(
      scenario.model, scenario.hardware.gpu, scenario.parallel, scenario.precision, scenario.memory,
      limits_of(scenario),
      draft_share(scenario.scheduler.speculative, scenario.model, scenario.precision, scenario.parallel.tp));
}

std::variant<Pool, PlanError> plan_pool(const Scenario& scenario) {
  Pool pool;
  if (scenario.memory.num_gpu_blocks) {
    pool.num_blocks = *scenario.memory.num_gpu_blocks;
  } else {
    auto plan = plan_memory_of(scenario);
    if (const auto* error = std::get_if<PlanError>(&plan)) return *error;
    pool.plan = std::get<MemoryPlan>(std::move(plan));
    pool.num_blocks = pool.plan->num_blocks.value();
    if (static_cast<double>(pool.num_blocks) > most_blocks) {
      return PlanError{"memory.block_size",
                       "the KV pool would have " + std::to_string(pool.num_blocks) + " blocks, and the most is " +
                           std::to_string(static_cast<std::int64_t>(most_blocks)) + "; raise memory.block_size"};
    }
  }
  const EngineRow* engine = find_engine(scenario.scheduler.engine);
  pool.usable_blocks = pool.num_blocks - (engine != nullptr && engine->keeps_null_block ? 1 : 0);
  if (pool.usable_blocks < 1) {
    return PlanError{what_gives_the_pool(scenario.memory),
                     "the pool has " + std::to_string(pool.num_blocks) +
                         " block, which the engine keeps as its null block; a request needs another"};
  }
  return pool;
}

std::int64_t model_len_limit(const Scenario& scenario) {
  if (scenario.scheduler.max_model_len) return *scenario.scheduler.max_model_len;
  return scenario.model.layers > 0 ? scenario.model.max_model_len.value() : no_model_len_limit;
}

std::optional<PlanError> unplayable(const Scenario& scenario) {
  const std::string explained = "; `decodesim explain` shows what fits";
  if (scenario.parallel.pp > 1) {
    return PlanError{"parallel.pp", "a run plays one pipeline stage, and 'parallel.pp' is " +
                                        std::to_string(scenario.parallel.pp) + explained};
  }
  if (scenario.memory.num_gpu_blocks) return std::nullopt;
  if (scenario.model.has_windows() && scenario.memory.window_layers == WindowBlocks::apart) {
    return PlanError{
        "memory.window_layers",
        "a run gives every sequence one table of blocks, and 'memory.window_layers: apart' counts those of "
        "several; write as_full, or memory.num_gpu_blocks" +
            explained};
  }
  if (!scenario.model.has_states()) return std::nullopt;
  if (!scenario.memory.state_slots) {
    return PlanError{"memory.state_slots",
                     "the model keeps states, which a run does not hold in blocks; write memory.state_slots: " +
                         std::to_string(scenario.scheduler.max_num_seqs) + ", so that they lie outside the pool" +
                         explained};
  }
  if (*scenario.memory.state_slots < scenario.scheduler.max_num_seqs) {
    return PlanError{"memory.state_slots", "'memory.state_slots' is " + std::to_string(*scenario.memory.state_slots) +
                                               ", and the scheduler would run " +
                                               std::to_string(scenario.scheduler.max_num_seqs) +
                                               " sequences (scheduler.max_num_seqs), each with a state"};
  }
  return std::nullopt;
}

std::vector<std::string> pool_warnings(const Scenario& scenario, const Pool& pool) {
  std::vector<std::string> warnings;
  if (const auto objection = startup_objection(scenario, pool)) {
    warnings.push_back(*objection + "; a real server would refuse to start (scheduler.startup_check: strict does)");
  }
  if (!pool.plan) return warnings;
  if (scenario.model.window_layers() > 0) {
    warnings.push_back("blocks are counted as if all " + std::to_string(scenario.model.layers) +
                       " layers saw the whole context, and " + std::to_string(scenario.model.window_layers()) +
                       " see a window; a server that keeps those apart holds more sequences (explain with "
                       "memory.window_layers: apart)");
  }
  if (pool.plan->graphs_overflow) {
    warnings.emplace_back(
        "CUDA graphs come on top of memory.utilization, and what it leaves does not hold them; a real "
        "server would start and run out of memory");
  }
  if (scenario.memory.accounting == Accounting::trtllm) {
    // A sequence may begin anywhere in its first block (log K77: 5,185 of 5,248 tokens in blocks of 64).
    const std::int64_t longest = pool.plan->tokens.value() - scenario.memory.block_size + 1;
    const std::int64_t limit = model_len_limit(scenario);
    if (limit != no_model_len_limit && longest < limit) {
      warnings.push_back("the pool has " + std::to_string(pool.plan->tokens.value()) +
                         " tokens; TensorRT-LLM would lower the longest sequence from " + std::to_string(limit) +
                         " to " + std::to_string(longest) + " and say so in its log alone");
    }
  }
  return warnings;
}

std::optional<std::string> startup_objection(const Scenario& scenario, const Pool& pool) {
  if (scenario.memory.accounting == Accounting::trtllm) return std::nullopt;
  const std::int64_t limit = model_len_limit(scenario);
  if (limit == no_model_len_limit) return std::nullopt;
  if (pool.plan) return start_objection(*pool.plan, limit, limits_of(scenario).max_num_batched_tokens);
  const std::int64_t capacity = pool.num_blocks * scenario.memory.block_size;
  if (capacity >= limit) return std::nullopt;
  return "the pool has " + std::to_string(capacity) +
         " tokens as a server counts them, fewer than one sequence of max_model_len " + std::to_string(limit);
}

}  // namespace decodesim
