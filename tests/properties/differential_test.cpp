// The fast engine and the plain stepper must tell the same story, word by word.

#include <doctest/doctest.h>

#include <string>

#include "tests/support/engines.hpp"
#include "tests/support/facts_text.hpp"
#include "tests/support/random_scenario.hpp"

namespace decodesim::tests {

TEST_CASE("the engine tells exactly the facts that the plain stepper tells") {
  const Engine& plain = engines().front();
  const Engine& fast = engines().back();
  REQUIRE(plain.name != fast.name);
  int failures = 0;
  for (std::uint64_t seed = 1; seed <= last_seed() && failures < 3; ++seed) {
    const RandomScenario scenario = random_scenario(seed);
    FactsText expected;
    FactsText told;
    play(plain, scenario.server, scenario.requests, scenario.concurrency, {&expected});
    play(fast, scenario.server, scenario.requests, scenario.concurrency, {&told});
    const std::string difference = first_difference(expected.lines(), told.lines());
    if (difference.empty()) continue;
    ++failures;
    FAIL_CHECK("seed " << seed << ", plain and fast differ in " << difference << "\n" << scenario.yaml());
  }
  CHECK(failures == 0);
}

}  // namespace decodesim::tests
