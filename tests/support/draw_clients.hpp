#pragma once
// Clients that give up, think and talk on, drawn.

#include "sim/core/time.hpp"
#include "tests/support/draws.hpp"
#include "tests/support/random_scenario.hpp"

namespace decodesim::tests {

/// What clients do beside asking. Half of the scenarios have those that ask once and wait.
void draw_clients(Draws& draws, RandomScenario& scenario, Duration typical_step);

}  // namespace decodesim::tests
