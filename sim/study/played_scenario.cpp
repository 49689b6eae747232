#include "sim/study/played_scenario.hpp"

#include <utility>

#include "sim/report/measurements.hpp"
#include "sim/scenario/assemble.hpp"
#include "sim/workload/traces/trace.hpp"

namespace decodesim {

PlayedScenario play_scenario(const Scenario& scenario, const std::string& version, const std::atomic<bool>& stop) {
  PlayedScenario played;
  try {
    Assembly parts = assemble(scenario, version);
    Measurements measurements(std::move(parts.header), scenario.run, scenario.slo, parts.class_slos);
    Observer* const observers[] = {&measurements};
    const RunFacts facts = simulate(parts.server, *parts.source, observers, &stop);
    played.interrupted = facts.interrupted;
    if (!facts.watchdog.empty()) played.objection = "the watchdog ended the run: " + facts.watchdog;
    played.report = measurements.report();
  } catch (const TraceError& error) {
    played.objection = error.what();
  }
  return played;
}

}  // namespace decodesim
