#pragma once
// The host memory that a scenario's scheduler may swap KV to, and the way there.

#include <cstdint>
#include <variant>

#include "sim/model/host_transfer.hpp"
#include "sim/model/plan_error.hpp"
#include "sim/scenario/scenario.hpp"
#include "sim/serving/server_config.hpp"

namespace decodesim {

struct HostMemory {
  std::int64_t blocks = 0;  // for swapping
  HostCacheConfig cache;
  HostTransfer transfer;
};

/// None where the scheduler never swaps and nothing is kept there. Under cost `fixed` transfers take no time. `parallel.tp` must be resolved.
///
/// Errors: a capacity in bytes where there is no model to say what a block takes, and a node that states no way to its
/// host where the scenario gives no bandwidth.
std::variant<HostMemory, PlanError> plan_host(const Scenario& scenario);

}  // namespace decodesim
