#pragma once
// Scenarios of scenarios/behaviours/, played, for tests of what real servers were seen to do.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/model/memory_plan.hpp"
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
  std::optional<std::int64_t> clients;  // of a closed loop
  std::vector<EndedRequest> requests;   // in the order of their ends
};

/// All cases of scenarios/behaviours/NAME.yaml by their names; the invariants of accounts hold, or this throws. `watch`,
/// where given, is told the facts of every case.
std::map<std::string, PlayedCase> play_behaviour(const std::string& name, Observer* watch = nullptr);
/// The same for scenarios/NAME.yaml.
std::map<std::string, PlayedCase> play_scenario(const std::string& name, Observer* watch = nullptr);

/// The memory of every case of scenarios/behaviours/NAME.yaml, planned and not played.
std::map<std::string, MemoryPlan> plan_behaviour(const std::string& name);

/// Clients that a closed loop must have by Little's law to come to these rates and latencies in its window:
/// requests a second x (TTFT + (output tokens - 1) x TPOT), over the mean output.
double clients_by_littles_law(const Report& report);

/// Empty where Little's law gives the clients of each of these closed loops within 2 %, else the first that it does not.
std::string broken_littles_law(const std::map<std::string, PlayedCase>& cases);

}  // namespace decodesim::tests
