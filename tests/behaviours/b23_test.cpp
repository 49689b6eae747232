// More KV memory removes preemption, and then brings nothing more: notes of a public repository, GLM-5.3 on two GB10.

#include <doctest/doctest.h>

#include <string>

#include "tests/support/behaviour.hpp"

namespace decodesim::tests {

TEST_CASE("a larger cache gains throughput while there are preemptions, and nothing beyond") {
  const auto cases = play_behaviour("b23-more-kv");
  const auto preemptions = [&](const char* name) { return cases.at(name).report.evictions.run.account.preemptions; };
  const auto rate = [&](const char* name) { return cases.at(name).report.output_throughput; };
  for (const char* name : {"3-gib", "6-gib", "12-gib"}) {
    MESSAGE(std::string(name) << ": " << preemptions(name) << " preemptions, " << rate(name) << " tok/s");
    CHECK(cases.at(name).report.completed == 24);
  }

  // Reported: 6 preemptions with 3 GiB, none with 6.
  CHECK(preemptions("3-gib") >= 2);   // 6
  CHECK(preemptions("3-gib") <= 20);  // 6
  CHECK(preemptions("6-gib") == 0);   // 0
  CHECK(preemptions("12-gib") == 0);

  // Reported: 22 % more tokens a second.
  CHECK(rate("6-gib") / rate("3-gib") >= 1.05);  // 1.22
  CHECK(rate("6-gib") / rate("3-gib") <= 1.40);  // 1.22
  // "Beyond that, extra KV gives nothing."
  CHECK(rate("12-gib") == rate("6-gib"));
}

}  // namespace decodesim::tests
