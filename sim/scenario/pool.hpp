#pragma once
// The KV pool that a scenario leads to, and whether a server would start with it.

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "sim/model/memory_plan.hpp"
#include "sim/model/plan_error.hpp"
#include "sim/scenario/scenario.hpp"

namespace decodesim {

/// Where neither the scenario nor a model limits a sequence: far above any real context, far below overflow.
inline constexpr std::int64_t no_model_len_limit = std::int64_t{1} << 40;

struct Pool {
  std::int64_t num_blocks = 0;     // as a server's log prints them
  std::int64_t usable_blocks = 0;  // without the engine's null block
  std::optional<MemoryPlan> plan;  // what it comes from; absent where the blocks are given
};

/// What bounds the server's steps and sequences.
ServerLimits limits_of(const Scenario& scenario);

/// Fills in the parts of the runtime overhead that are not stated, so that they are seen among the defaults. The scenario's
/// ranks and batch must be known.
void complete_overhead(Scenario& scenario);

/// What a GPU's memory holds, beside what drafts.
std::variant<MemoryPlan, PlanError> plan_memory_of(const Scenario& scenario);

/// The scenario's pool, or why no request could use one.
std::variant<Pool, PlanError> plan_pool(const Scenario& scenario);

/// Tokens at which a sequence stops.
std::int64_t model_len_limit(const Scenario& scenario);

/// Why a run cannot play this deployment though its memory can be planned: pipeline stages, blocks of windowed layers told
/// apart, states in the pool's blocks.
std::optional<PlanError> unplayable(const Scenario& scenario);

/// What a reader of a run's results has to know of its pool: windowed layers that are counted as full ones, CUDA graphs that
/// come on top of a budget that leaves no room for them, a server that would cut sequences or not start.
std::vector<std::string> pool_warnings(const Scenario& scenario, const Pool& pool);

/// Why an engine would refuse to start: the pool cannot hold one sequence of the longest allowed length. Like vLLM's, the
/// check counts the null block, so it can pass one block too early. TensorRT-LLM starts and cuts sequences instead.
std::optional<std::string> startup_objection(const Scenario& scenario, const Pool& pool);

}  // namespace decodesim
