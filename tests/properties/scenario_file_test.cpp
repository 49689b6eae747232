// A random server written as a scenario file plays as it does when put together by hand.

#include <doctest/doctest.h>

#include <cstdlib>
#include <vector>

#include "sim/scenario/assemble.hpp"
#include "sim/scenario/load.hpp"
#include "tests/support/engines.hpp"
#include "tests/support/facts_text.hpp"
#include "tests/support/random_scenario.hpp"

namespace decodesim::tests {

TEST_CASE("a scenario file gives the run that its parts give") {
  ::setenv("DECODESIM_HOME", DECODESIM_SOURCE_DIR, 0);  // the catalog that the files name
  int played = 0;
  int failures = 0;
  for (std::uint64_t seed = 1; seed <= 600 && failures < 3; ++seed) {
    const RandomScenario random = random_scenario(seed);
    if (random.cost_kind == ScenarioCost::shape || random.concurrency || random.closes) continue;
    ++played;
    std::vector<Request> requests = random.requests;
    for (std::size_t i = 0; i < requests.size(); ++i)
      requests[i].index = static_cast<std::int64_t>(i);  // as a list has it
    FactsText expected;
    play(engines().front(), random.server, requests, random.concurrency, {&expected});

    std::vector<Diagnostic> warnings;
    std::string difference;
    try {
      const std::vector<Scenario> loaded = load_scenarios_text(random.yaml(), "random.yaml", ".", {}, warnings);
      REQUIRE(loaded.size() == 1);
      Assembly assembly = assemble(loaded.front(), "test");
      FactsText told;
      Observer* const observers[] = {&told};
      simulate(assembly.server, *assembly.source, observers);
      difference = first_difference(expected.lines(), told.lines());
    } catch (const ScenarioError& error) {
      difference = diagnostics_text(error.diagnostics());
    }
    if (difference.empty()) continue;
    ++failures;
    FAIL_CHECK("seed " << seed << ", the parts and the file differ in " << difference << "\n" << random.yaml());
  }
  CHECK(played > 200);
}

}  // namespace decodesim::tests
