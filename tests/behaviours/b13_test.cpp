// Servers that are full with an empty cache: vllm-project/vllm#9802, llm-d autoscaling#662.

#include <doctest/doctest.h>

#include "tests/support/behaviour.hpp"

namespace decodesim::tests {

TEST_CASE("where prompts take the time a closed loop runs few requests and leaves the cache empty") {
  const auto cases = play_behaviour("b13-not-kv-limited");
  const Report& report = cases.at("long-prompts").report;
  MESSAGE("100 clients: at most " << report.steps.running_peak << " running, " << 100 * report.kv.usage_peak
                                  << " % of the cache, " << report.saturation.mean_waiting << " waiting, TTFT "
                                  << report.ttft.mean << " ms");
  CHECK(report.saturation.verdict == Saturation::saturated);
  // Reported: never more than 3 running of 100.
  CHECK(report.steps.running_peak <= 3);
  CHECK(report.kv.usage_peak < 0.5);
  CHECK(broken_littles_law(cases) == "");
}

TEST_CASE("where prompts take the time a server falls behind its arrivals with the cache far from full") {
  const auto cases = play_behaviour("b13-not-kv-limited");
  const Report& report = cases.at("two-tokens").report;
  MESSAGE("8 req/s offered, " << report.request_throughput << " served; " << report.steps.running_mean
                              << " running on average, " << report.steps.running_peak << " at most, "
                              << 100 * report.kv.usage_peak << " % of the cache");
  CHECK(report.saturation.verdict == Saturation::overloaded);
  CHECK(report.request_throughput < 8);
  // Reported: about 20 running, 32 % of the cache. 6 and 7 % here, since steps of 8,192 tokens let in no more.
  CHECK(report.steps.running_peak <= 40);
  CHECK(report.kv.usage_peak < 0.5);
}

}  // namespace decodesim::tests
