#pragma once
// What a report has to say of the policies it rests on.

#include <string>
#include <vector>

#include "sim/serving/serving_spec.hpp"

namespace decodesim {

/// Whom the engine evicts, as `decodesim list policies` calls it; empty where it evicts nobody.
std::string victim_rule(const SchedulerSpec& scheduler);

/// What the policies of this scheduler know that no real server could, a phrase each.
std::vector<std::string> oracles_of(const SchedulerSpec& scheduler);

/// One of those phrases as a warning.
std::string oracle_warning(const std::string& oracle);

}  // namespace decodesim
