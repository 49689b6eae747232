#include "tests/support/behaviour.hpp"

#include <cmath>
#include <cstdlib>
#include <variant>

#include "sim/report/measurements.hpp"
#include "sim/scenario/assemble.hpp"
#include "sim/scenario/load.hpp"
#include "sim/scenario/pool.hpp"

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

std::vector<Scenario> scenarios_of(const std::string& name) {
  ::setenv("DECODESIM_HOME", DECODESIM_SOURCE_DIR, 1);
  std::vector<Diagnostic> warnings;
  return load_scenarios(std::string(DECODESIM_SOURCE_DIR) + "/scenarios/" + name + ".yaml", {}, warnings);
}

}  // namespace

std::map<std::string, PlayedCase> play_behaviour(const std::string& name, Observer* watch) {
  return play_scenario("behaviours/" + name, watch);
}

std::map<std::string, PlayedCase> play_scenario(const std::string& name, Observer* watch) {
  std::map<std::string, PlayedCase> played;
  for (const Scenario& scenario : scenarios_of(name)) {
    PlayedCase& one = played[scenario.case_name];
    one.clients = scenario.workload.max_concurrency;
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

std::map<std::string, MemoryPlan> plan_behaviour(const std::string& name) {
  std::map<std::string, MemoryPlan> plans;
  for (const Scenario& scenario : scenarios_of("behaviours/" + name))
    plans.emplace(scenario.case_name, std::get<Pool>(plan_pool(scenario)).plan.value());
  return plans;
}

double clients_by_littles_law(const Report& report) {
  const double output = report.output_throughput / report.request_throughput;
  // A single token has no gap, and so no TPOT.
  const double gaps = output > 1 ? (output - 1) * report.tpot.mean : 0;
  return report.request_throughput * (report.ttft.mean + gaps) / 1e3;
}

std::string broken_littles_law(const std::map<std::string, PlayedCase>& cases) {
  for (const auto& [name, played] : cases) {
    if (!played.clients) continue;
    const double clients = clients_by_littles_law(played.report);
    if (!(std::abs(clients / static_cast<double>(*played.clients) - 1) <= 0.02))
      return name + ": " + std::to_string(*played.clients) + " clients, " + std::to_string(clients) +
             " by Little's law";
  }
  return "";
}

}  // namespace decodesim::tests
