#pragma once
// Clients that give up, think and talk on, drawn.

#include <vector>

#include "sim/core/time.hpp"
#include "tests/support/draws.hpp"
#include "tests/support/random_scenario.hpp"

namespace decodesim::tests {

/// What clients do beside asking. Half of the scenarios have those that ask once and wait.
void draw_clients(Draws& draws, RandomScenario& scenario, Duration typical_step);

/// Whose requests they are, how urgent and by when, where nothing of it was drawn for the engine. Most engines do not look
/// at it; reports do.
void draw_labels(Draws& draws, RandomScenario& scenario, Duration typical_step);

/// The same requests of clients that ask once, each for itself, and wait.
std::vector<Request> asked_once(std::vector<Request> requests);

}  // namespace decodesim::tests
