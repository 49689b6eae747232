// Hits in the prefix cache: vllm-project/vllm#9668, #53395 and #25780.

#include <doctest/doctest.h>

#include "tests/support/behaviour.hpp"

namespace decodesim::tests {

namespace {
/// Tokens found at admissions, those of a user's first one and those that victims found again.
class Hits : public Observer {
 public:
  void step(const StepFacts& facts) override {
    first += facts.found_tokens;
    again += facts.found_again_tokens;
  }
  void ended(const RequestFacts& facts) override { prompts += facts.request->input_tokens; }
  std::int64_t first = 0;
  std::int64_t again = 0;
  std::int64_t prompts = 0;
};

double seconds(const PlayedCase& played) { return static_cast<double>(played.report.duration.count()) / 1e9; }
}  // namespace

TEST_CASE("where prompts take the time a server with hits is faster by about what it need not compute") {
  const auto cases = play_behaviour("b19-prefix-hits");
  const double gain = seconds(cases.at("prompts-without-cache")) / seconds(cases.at("prompts-with-cache"));
  MESSAGE("prompts: " << seconds(cases.at("prompts-without-cache")) << " s become "
                      << seconds(cases.at("prompts-with-cache")) << " s, " << gain << " times as fast");
  // Reported: 8.54 s -> 4.86 s, 1.76 times as fast at 49 % hits; 1 / (1 - 0.49) = 1.96 at best.
  CHECK(gain >= 1.5);
  CHECK(gain <= 2.05);
}

TEST_CASE("where answers take the time even very many hits gain a few percent") {
  const auto cases = play_behaviour("b19-prefix-hits");
  const double gain = cases.at("answers-with-cache").report.output_throughput /
                      cases.at("answers-without-cache").report.output_throughput;
  MESSAGE("answers: " << 100 * (gain - 1) << " % more tokens a second");
  // Reported: 94.6 % hits, 5.7 to 6.2 % more throughput.
  CHECK(gain >= 1.01);
  CHECK(gain <= 1.12);
}

TEST_CASE("what victims of preemption find again is counted apart from what users share") {
  Hits hits;
  const auto cases = play_behaviour("b19-prefix-hits", &hits);
  const Report& report = cases.at("random-prompts-under-pressure").report;
  const double again = static_cast<double>(report.evictions.run.account.found_again_tokens);
  const double looked_up = again + static_cast<double>(report.evictions.run.account.recomputed_tokens) + 1600.0 * 1024;
  MESSAGE("random prompts: " << report.evictions.run.account.preemptions << " preemptions, " << 100 * again / looked_up
                             << " % of the tokens looked up were found, all by victims");
  // Reported: 32.2 % "hits" of random prompts, 259 running and 535 waiting.
  CHECK(report.evictions.run.account.preemptions > 0);
  CHECK(again / looked_up >= 0.05);
  CHECK(again / looked_up <= 0.60);
  CHECK(report.prefix.found_tokens == 0);
  CHECK(hits.again > 0);
}

}  // namespace decodesim::tests
