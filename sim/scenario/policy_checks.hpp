#pragma once
// Which policies an engine takes, and which of them make sense together.

#include "sim/scenario/document.hpp"
#include "sim/scenario/reading.hpp"
#include "sim/serving/serving_spec.hpp"

namespace decodesim {

/// Reports every policy of `scheduler` that its engine does not take, and every pair that contradicts itself.
void check_policies(Reading& reading, const DocumentNode& tree, const SchedulerSpec& scheduler);

}  // namespace decodesim
