#pragma once
// The documents that a run leaves, as their bytes.

#include <string>

#include "tests/support/engines.hpp"
#include "tests/support/random_scenario.hpp"

namespace decodesim::tests {

struct RunDocuments {
  std::string schedule_jsonl;
  std::string requests_csv;
  std::string json;
};

/// Plays `scenario` with all writers listening. The watchdog's words are free, so the JSON has others in their place.
RunDocuments documents(const Engine& engine, const RandomScenario& scenario);

}  // namespace decodesim::tests
