#pragma once
// Scenarios of scenarios/behaviours/, played, for tests of what real servers were seen to do.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sim/report/report.hpp"
#include "sim/serving/observer.hpp"

namespace decodesim::tests {

/// A request as it ended. Times in seconds, negative where they never came.
struct EndedRequest {
  std::string id;
  Outcome outcome = Outcome::completed;
  double ttft = -1;
  double e2el = -1;
  std::int64_t output_tokens = 0;
  std::int64_t preemptions = 0;
};

/// A case of a scenario, played to its end.
struct PlayedCase {
  Report report;
  std::vector<EndedRequest> requests;  // in the order of their ends
};

/// All cases of scenarios/behaviours/NAME.yaml by their names; the invariants of accounts hold, or this throws. `watch`,
/// where given, is told the facts of every case.
std::map<std::string, PlayedCase> play_behaviour(const std::string& name, Observer* watch = nullptr);
/// The same for scenarios/NAME.yaml.
std::map<std::string, PlayedCase> play_scenario(const std::string& name, Observer* watch = nullptr);

}  // namespace decodesim::tests
