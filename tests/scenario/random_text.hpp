#pragma once
// Scenario files with many of their fields drawn.

#include <random>
#include <string>

namespace decodesim::tests {

/// A valid scenario file.
std::string random_scenario_text(std::mt19937_64& random);

/// A model and a node that are described in place.
extern const std::string inline_machine;

}  // namespace decodesim::tests
