#pragma once
// One run of a study, from a scenario to its report.

#include <atomic>
#include <string>

#include "sim/report/report.hpp"
#include "sim/scenario/scenario.hpp"

namespace decodesim {

/// What became of one run. The report counts only where it was neither objected to nor interrupted.
struct PlayedScenario {
  Report report;
  std::string objection;  // why it could not go on: a watchdog, a trace that cannot be read; empty where it could
  bool interrupted = false;
};

/// Plays a scenario on its own seed. It owns everything it touches, so that many can play at once. Where `stop` becomes
/// true, the run ends there. Throws ScenarioError where it can be planned and not played.
PlayedScenario play_scenario(const Scenario& scenario, const std::string& version, const std::atomic<bool>& stop);

}  // namespace decodesim
