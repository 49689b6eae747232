#include "tests/support/behaviour.hpp"

#include <cstdlib>

#include "sim/report/measurements.hpp"
#include "sim/scenario/assemble.hpp"
#include "sim/scenario/load.hpp"

namespace decodesim::tests {

namespace {

double seconds(Duration duration) { return static_cast<double>(duration.count()) / 1e9; }

class Endings : public Observer {
 public:
  explicit Endings(std::vector<EndedRequest>& ended) : ended_(ended) {}
  void ended(const RequestFacts& facts) override {
    const bool answered = facts.first_token >= Time{};
    const Time arrival = facts.request->arrival;
    ended_.push_back({.id = facts.request->id,
                      .outcome = facts.outcome,
                      .ttft = answered ? seconds(facts.first_token - arrival) : -1,
                      .e2el = facts.outcome == Outcome::completed ? seconds(facts.ended - arrival) : -1,
                      .output_tokens = facts.output_tokens,
                      .preemptions = facts.preemptions});
  }

 private:
  std::vector<EndedRequest>& ended_;
};

}  // namespace

std::map<std::string, PlayedCase> play_behaviour(const std::string& name, Observer* watch) {
  return play_scenario("behaviours/" + name, watch);
}

std::map<std::string, PlayedCase> play_scenario(const std::string& name, Observer* watch) {
  ::setenv("DECODESIM_HOME", DECODESIM_SOURCE_DIR, 1);
  std::map<std::string, PlayedCase> played;
  std::vector<Diagnostic> warnings;
  const std::string file = std::string(DECODESIM_SOURCE_DIR) + "/scenarios/" + name + ".yaml";
  for (const Scenario& scenario : load_scenarios(file, {}, warnings)) {
    PlayedCase& one = played[scenario.case_name];
    Assembly parts = assemble(scenario, "test");
    Measurements measurements(parts.header, scenario.run, scenario.slo);
    Endings endings(one.requests);
    std::vector<Observer*> observers{&measurements, &endings};
    if (watch != nullptr) observers.push_back(watch);
    simulate(parts.server, *parts.source, observers);
    one.report = measurements.report();
  }
  return played;
}

}  // namespace decodesim::tests
