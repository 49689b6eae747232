// Who does not look at the numbers of blocks sees the same run as who does.

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/support/engines.hpp"
#include "tests/support/facts_text.hpp"
#include "tests/support/random_scenario.hpp"

namespace decodesim::tests {

namespace {

/// All facts but the schedule and what the memory looks like.
class WithoutNumbers : public FactsText {
 public:
  [[nodiscard]] bool wants_schedule() const override { return false; }
  [[nodiscard]] bool wants_memory() const override { return false; }
  void step(const StepFacts& facts) override {
    StepFacts copy = facts;
    copy.schedule = nullptr;
    copy.memory = nullptr;
    FactsText::step(copy);
  }
};

}  // namespace

TEST_CASE("a run in which nobody asks for the numbers of blocks is the same run") {
  const Engine& fast = engines().back();
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    const RandomScenario scenario = random_scenario(seed, seed % 20 == 0 ? ScenarioSize::large : ScenarioSize::small);
    CAPTURE(seed);
    WithoutNumbers unseen;
    play(fast, scenario.server, scenario.requests, scenario.concurrency, {&unseen}, scenario.closes);
    WithoutNumbers beside;
    FactsText seen;
    play(fast, scenario.server, scenario.requests, scenario.concurrency, {&beside, &seen}, scenario.closes);
    const std::string difference = first_difference(unseen.lines(), beside.lines());
    CHECK_MESSAGE(difference.empty(), difference << "\n" << scenario.yaml());
  }
}

}  // namespace decodesim::tests
