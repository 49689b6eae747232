// The fast engine and the plain stepper must tell the same story, word by word.

#include <doctest/doctest.h>

#include <sstream>
#include <string>
#include <vector>

#include "tests/support/engines.hpp"
#include "tests/support/facts_text.hpp"
#include "tests/support/random_scenario.hpp"
#include "tests/support/run_documents.hpp"

namespace decodesim::tests {

namespace {

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> list;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) list.push_back(line);
  return list;
}

/// Plays the scenarios of the seeds 1 to `last` on both engines and shows the first facts that differ.
void compare_facts(std::uint64_t last, ScenarioSize size) {
  const Engine& plain = engines().front();
  const Engine& fast = engines().back();
  int failures = 0;
  for (std::uint64_t seed = 1; seed <= last && failures < 3; ++seed) {
    const RandomScenario scenario = random_scenario(seed, size);
    FactsText expected;
    FactsText told;
    play(plain, scenario.server, scenario.requests, scenario.concurrency, {&expected}, scenario.closes);
    play(fast, scenario.server, scenario.requests, scenario.concurrency, {&told}, scenario.closes);
    const std::string difference = first_difference(expected.lines(), told.lines());
    if (difference.empty()) continue;
    ++failures;
    FAIL_CHECK("seed " << seed << ", plain and fast differ in " << difference << "\n" << scenario.yaml());
  }
  CHECK(failures == 0);
}

}  // namespace

TEST_CASE("the engine tells exactly the facts that the plain stepper tells") {
  compare_facts(last_seed(), ScenarioSize::small);
}

TEST_CASE("the engine agrees with the plain stepper on larger servers too") {
  compare_facts(last_seed() / 100, ScenarioSize::large);
}

TEST_CASE("the engine and the plain stepper leave the same bytes: schedule, requests and report") {
  const Engine& plain = engines().front();
  const Engine& fast = engines().back();
  int failures = 0;
  for (std::uint64_t seed = 1; seed <= last_seed() && failures < 3; ++seed) {
    const RandomScenario scenario = random_scenario(seed);
    CAPTURE(seed);
    const RunDocuments expected = documents(plain, scenario);
    const RunDocuments written = documents(fast, scenario);
    std::string difference;
    if (expected.schedule_jsonl != written.schedule_jsonl) {
      difference = "schedule, " + first_difference(lines(expected.schedule_jsonl), lines(written.schedule_jsonl));
    } else if (expected.requests_csv != written.requests_csv) {
      difference = "requests, " + first_difference(lines(expected.requests_csv), lines(written.requests_csv));
    } else if (expected.json != written.json) {
      difference = "report, " + first_difference(lines(expected.json), lines(written.json));
    }
    if (difference.empty()) continue;
    ++failures;
    FAIL_CHECK("seed " << seed << ", plain and fast differ in the " << difference << "\n" << scenario.yaml());
  }
  CHECK(failures == 0);
}

}  // namespace decodesim::tests
