#pragma once
// The KV pool that a scenario leads to, and whether a server would start with it.

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "sim/model/plan_error.hpp"
#include "sim/scenario/scenario.hpp"

namespace decodesim {

/// Where neither the scenario nor a model limits a sequence: far above any real context, far below overflow.
inline constexpr std::int64_t no_model_len_limit = std::int64_t{1} << 40;

struct Pool {
  std::int64_t num_blocks = 0;     // as a server's log prints them
  std::int64_t usable_blocks = 0;  // without the engine's null block
};

/// The scenario's pool, or why no request could use one.
std::variant<Pool, PlanError> plan_pool(const Scenario& scenario);

/// Tokens at which a sequence stops.
std::int64_t model_len_limit(const Scenario& scenario);

/// Why an engine would refuse to start: the pool cannot hold one sequence of the longest allowed length. Like vLLM's, the
/// check counts the null block, so it can pass one block too early.
std::optional<std::string> startup_objection(const Scenario& scenario, const Pool& pool);

}  // namespace decodesim
