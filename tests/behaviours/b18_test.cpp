// More clients with long answers: InferenceX#828.

#include <doctest/doctest.h>

#include <string>

#include "tests/support/behaviour.hpp"

namespace decodesim::tests {

namespace {
double per_gpu(const PlayedCase& played) { return played.report.total_token_throughput / 8; }
}  // namespace

TEST_CASE("sixteen times the clients bring about half of sixteen times the tokens") {
  const auto cases = play_behaviour("b18-long-answers");
  for (const char* name : {"short-4", "short-16", "short-64", "long-32", "long-64"})
    MESSAGE(std::string(name) << ": " << per_gpu(cases.at(name)) << " tok/s a GPU, TPOT "
                              << cases.at(name).report.tpot.mean << " ms");
  // Reported: 260 -> 2,107 tokens in and out a second and GPU, 8.1 times.
  const double gain = per_gpu(cases.at("short-64")) / per_gpu(cases.at("short-4"));
  CHECK(gain >= 6);   // 8.1
  CHECK(gain <= 11);  // 8.1
  CHECK(per_gpu(cases.at("short-4")) >= 0.5 * 260);
  CHECK(per_gpu(cases.at("short-4")) <= 2.0 * 260);
  CHECK(per_gpu(cases.at("short-64")) >= 0.5 * 2107);
  CHECK(per_gpu(cases.at("short-64")) <= 2.0 * 2107);
  CHECK(broken_littles_law(cases) == "");
}

TEST_CASE("long answers do not lower throughput by themselves, where nobody is preempted") {
  // Reported: 781 -> 553 tok/s a GPU from 32 to 64 clients. No bytes, operations or KV explain it.
  const auto cases = play_behaviour("b18-long-answers");
  for (const char* name : {"long-32", "long-64"}) CHECK(cases.at(name).report.evictions.run.account.preemptions == 0);
  CHECK(per_gpu(cases.at("long-64")) > per_gpu(cases.at("long-32")));
}

}  // namespace decodesim::tests
