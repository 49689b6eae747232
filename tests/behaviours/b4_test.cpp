// After the retraction of a long request: sgl-project/sglang#26248.

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/support/behaviour.hpp"

namespace decodesim::tests {

namespace {
/// Tokens and time of the steps in which four decode before anybody is taken back, and of all from then on until the first
/// request ends. Of the case that takes back.
class AroundRetraction : public Observer {
 public:
  void step(const StepFacts& facts) override {
    retracted_ = retracted_ || facts.preempted > 0;
    if (over_ || (!retracted_ && facts.shape.decodes != 4)) return;
    Span& span = retracted_ ? after : before;
    span.tokens += static_cast<double>(facts.shape.samples);
    span.seconds += static_cast<double>((facts.end - facts.start).count()) / 1e9;
  }
  void ended(const RequestFacts&) override { over_ = true; }
  void run_ended(const RunFacts&) override {
    if (!retracted_) before = {};
    over_ = after.seconds > 0;
    retracted_ = retracted_ && over_;
  }

  struct Span {
    double tokens = 0;
    double seconds = 0;
    [[nodiscard]] double rate() const { return tokens / seconds; }
  };
  Span before;
  Span after;

 private:
  bool retracted_ = false;
  bool over_ = false;
};
}  // namespace

TEST_CASE("taking back one of a few very long requests costs an order of magnitude of throughput") {
  AroundRetraction watch;
  auto cases = play_behaviour("b4-after-retraction", &watch);
  const PlayedCase& full = cases.at("full");
  const PlayedCase& roomy = cases.at("roomy");

  // Reported: 429 -> 20 to 38 tok/s, a fall of 11 to 21, "about 14x".
  const double fall = watch.before.rate() / watch.after.rate();
  MESSAGE("from " << watch.before.rate() << " to " << watch.after.rate() << " tok/s, a fall of " << fall);
  CHECK(fall >= 7);
  CHECK(fall <= 30);

  // A retraction costs the whole prefill again: at least one prompt of 640k tokens.
  CHECK(full.report.evictions.run.account.preemptions >= 1);
  CHECK(full.report.evictions.run.account.recomputed_tokens >= 640'000 * full.report.evictions.run.account.preemptions);
  CHECK(roomy.report.evictions.run.account.preemptions == 0);
  CHECK(full.report.completed == 7);
  CHECK(roomy.report.completed == 7);
}

}  // namespace decodesim::tests
