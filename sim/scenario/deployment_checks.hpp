#pragma once
// Whether the machine and the model of a scenario can work together at all.

#include "sim/scenario/document.hpp"
#include "sim/scenario/reading.hpp"
#include "sim/scenario/scenario.hpp"

namespace decodesim {

/// Notes links that lead nowhere, an algorithm that the links do not allow, weights that do not fit, a pool without a
/// block, and under a strict start-up check a pool below one sequence. `scenario` must be free of mistakes so far.
void check_deployment(Reading& reading, const DocumentNode& tree, const Scenario& scenario);

}  // namespace decodesim
