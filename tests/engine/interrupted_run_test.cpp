// A run that is stopped from outside keeps what it did so far.

#include <doctest/doctest.h>

#include <atomic>
#include <span>

#include "sim/serving/simulation.hpp"
#include "tests/support/facts_text.hpp"
#include "tests/support/invariants.hpp"
#include "tests/support/random_scenario.hpp"
#include "tests/support/vector_source.hpp"

namespace decodesim::tests {

namespace {

/// Asks for a stop at the end of a step.
class StopAfter : public Observer {
 public:
  StopAfter(std::int64_t steps, std::atomic<bool>& stop) : steps_(steps), stop_(stop) {}
  void step(const StepFacts&) override { stop_ = ++told_ >= steps_; }
  void run_ended(const RunFacts& facts) override { run = facts; }

  RunFacts run;

 private:
  std::int64_t steps_;
  std::int64_t told_ = 0;
  std::atomic<bool>& stop_;
};

}  // namespace

TEST_CASE("an interrupted run tells the steps that the whole run begins with, and accounts for every request") {
  int interrupted = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    CAPTURE(seed);
    const RandomScenario scenario = random_scenario(seed);
    FactsText whole;
    VectorSource whole_source(scenario.requests, scenario.concurrency);
    Observer* const whole_observers[] = {&whole};
    simulate(scenario.server, whole_source, whole_observers);

    std::atomic<bool> stop{false};
    StopAfter stopping(3, stop);
    FactsText part;
    InvariantChecker invariants(scenario.server);
    VectorSource source(scenario.requests, scenario.concurrency);
    Observer* const observers[] = {&stopping, &part, &invariants};
    simulate(scenario.server, source, observers, &stop);

    CHECK(invariants.violation() == "");
    std::size_t steps = 0;
    for (std::size_t i = 0; i < part.lines().size() && steps < 3; ++i) {
      REQUIRE(part.lines()[i] == whole.lines()[i]);
      steps += part.lines()[i].starts_with("step ") ? 1 : 0;
    }
    if (!stopping.run.interrupted) continue;
    ++interrupted;
    CHECK(stopping.run.watchdog == "");
    CHECK(steps == 3);
  }
  CHECK(interrupted > 100);
}

}  // namespace decodesim::tests
