#pragma once
// The running loop of vLLM V1, for engines that differ from it in their policies only.

#include <string_view>

#include "sim/serving/policy_table.hpp"

namespace decodesim {

/// What such an engine chooses where the scenario does not.
struct RunningFirstPolicies {
  std::string_view queue_order;
  std::string_view admission;
  std::string_view victim;
};

EngineParts make_running_first(const ServerConfig& server, const RunningFirstPolicies& own);

}  // namespace decodesim
