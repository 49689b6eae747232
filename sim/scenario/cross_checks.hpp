#pragma once
// What must hold between the fields of a scenario.

#include "sim/scenario/reading.hpp"
#include "sim/scenario/scenario.hpp"

namespace decodesim {

/// Notes what contradicts itself, at the fields of `tree` that say so. The scenario was read without mistakes.
void check_across(Reading& reading, const DocumentNode& tree, const Scenario& scenario);

}  // namespace decodesim
