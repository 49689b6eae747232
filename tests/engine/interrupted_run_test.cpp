// A run that is stopped from outside keeps what it did so far.

#include <doctest/doctest.h>

#include <atomic>
#include <span>

#include "sim/report/measurements.hpp"
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

/// Asks for a stop at an arrival, which mostly falls into a step.
class StopAtArrival : public Observer {
 public:
  StopAtArrival(std::int64_t arrivals, std::atomic<bool>& stop) : arrivals_(arrivals), stop_(stop) {}
  void arrived(const Request&) override { stop_ = ++told_ >= arrivals_; }
  void ended(const RequestFacts& facts) override { recomputed += facts.recomputed_tokens; }
  void run_ended(const RunFacts& facts) override { interrupted = facts.interrupted; }

  bool interrupted = false;
  std::int64_t recomputed = 0;

 private:
  std::int64_t arrivals_;
  std::int64_t told_ = 0;
  std::atomic<bool>& stop_;
};

}  // namespace

TEST_CASE("a run that is stopped within a step accounts for what that step evicted and computed again") {
  int interrupted = 0;
  std::int64_t recomputed = 0;
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    CAPTURE(seed);
    const RandomScenario scenario = random_scenario(seed);
    const auto arrivals = static_cast<std::int64_t>(1 + seed % scenario.requests.size());
    std::atomic<bool> stop{false};
    StopAtArrival stopping(arrivals, stop);
    InvariantChecker invariants(scenario.server);
    RunHeader header;
    header.requests = static_cast<std::int64_t>(scenario.requests.size());
    header.usable_blocks = scenario.server.usable_blocks;
    header.block_size = scenario.server.block_size;
    Measurements measurements(header, {}, {});  // throws where the sums of steps and of requests differ
    VectorSource source(scenario.requests, scenario.concurrency);
    Observer* const observers[] = {&stopping, &invariants, &measurements};
    CHECK_NOTHROW(simulate(scenario.server, source, observers, &stop));
    CHECK(invariants.violation() == "");
    interrupted += stopping.interrupted ? 1 : 0;
    recomputed += stopping.recomputed;
  }
  CHECK(interrupted > 500);
  CHECK(recomputed > 500);
}

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
