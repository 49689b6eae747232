#pragma once
// One case out of a scenario's.

#include <string>
#include <vector>

#include "sim/scenario/scenario.hpp"

namespace decodesim {

/// The case of that name. Throws UsageError, which names those that there are.
Scenario case_named(std::vector<Scenario> scenarios, const std::string& name);

}  // namespace decodesim
