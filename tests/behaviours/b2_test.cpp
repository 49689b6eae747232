// Recompute storm from admission on the first chunk: vllm-project/vllm#37307.

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/support/behaviour.hpp"

namespace decodesim::tests {

namespace {
/// Decoding tokens a second of the slowest of the four that were there first, after their first token.
double slowest_rate(const PlayedCase& played) {
  double slowest = 1e9;
  for (const EndedRequest& request : played.requests) {
    if (request.id == "fifth") continue;
    slowest = std::min(slowest, static_cast<double>(request.output_tokens - 1) / (request.e2el - request.ttft));
  }
  return slowest;
}
}  // namespace

TEST_CASE("a prompt admitted on its first chunk alone slows down all that decode, and one admitted whole does not") {
  auto cases = play_behaviour("b2-admission-on-the-first-chunk");
  const PlayedCase& storm = cases.at("first-chunk");
  const PlayedCase& calm = cases.at("whole-sequence");
  // Reported: about 100 -> 1.5 tok/s a GPU, a fall of 67; "10-70x" over several reports.
  const double fall = slowest_rate(calm) / slowest_rate(storm);
  MESSAGE("decode rate falls by a factor of " << fall);
  CHECK(fall >= 10);
  CHECK(fall <= 70);
  // All that work is done again and again: far more tokens are recomputed than the prompt has.
  CHECK(storm.report.evictions.run.account.preemptions >= 20);
  CHECK(storm.report.evictions.run.account.recomputed_tokens >= 10 * 100'000);
  CHECK(calm.report.evictions.run.account.preemptions == 0);
  CHECK(storm.report.completed == 5);
  CHECK(calm.report.completed == 5);
}

}  // namespace decodesim::tests
