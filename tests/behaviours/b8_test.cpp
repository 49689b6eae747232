// Throughput against the length of prompts: vllm-project/vllm#11286.

#include <doctest/doctest.h>

#include <string>

#include "tests/support/behaviour.hpp"

namespace decodesim::tests {

TEST_CASE("with as many clients throughput falls as their prompts grow") {
  const auto cases = play_behaviour("b8-prompt-length");
  const double shortest = cases.at("50").report.output_throughput;
  double before = shortest * 1.001;
  for (const char* prompt : {"50", "350", "750", "1500", "3000", "6000", "12000"}) {
    const Report& report = cases.at(prompt).report;
    MESSAGE("prompts of " << std::string(prompt) << ": " << report.output_throughput << " tok/s, "
                          << report.output_throughput / shortest << " of the shortest, " << report.steps.running_mean
                          << " running");
    CHECK(report.output_throughput < before);
    before = report.output_throughput;
  }
  // Reported: 2,815 of 5,364 tok/s at 500-1,000 tokens, 782 at 4,000-8,000.
  CHECK(cases.at("750").report.output_throughput / shortest >= 0.35);   // 0.52
  CHECK(cases.at("750").report.output_throughput / shortest <= 0.70);   // 0.52
  CHECK(cases.at("6000").report.output_throughput / shortest >= 0.08);  // 0.15
  CHECK(cases.at("6000").report.output_throughput / shortest <= 0.25);  // 0.15
  CHECK(broken_littles_law(cases) == "");
}

}  // namespace decodesim::tests
