// What must hold in every run, on small random servers.

#include "tests/support/invariants.hpp"

#include <doctest/doctest.h>

#include <array>

#include "tests/support/engines.hpp"
#include "tests/support/random_scenario.hpp"

namespace decodesim::tests {

namespace {

/// Counts what the scenarios reached, so that a test cannot pass for want of cases.
class Coverage : public Observer {
 public:
  void step(const StepFacts& facts) override {
    evictions += facts.preempted;
    recomputed += facts.recomputed_tokens;
    chunks += facts.shape.chunks;
    empty_passes += facts.shape.empty() ? 1 : 0;
    unclaimed += facts.unclaimed_tokens;
    withdrawn += static_cast<std::int64_t>(facts.withdrawn.size());
    ++limits[static_cast<std::size_t>(facts.limit)];
  }
  void idle(std::int64_t, std::int64_t count, Time, std::int64_t) override { idle_passes += count; }
  void ended(const RequestFacts& facts) override {
    ++outcomes[static_cast<std::size_t>(facts.outcome)];
    timed_out += facts.reason == reason_timed_out ? 1 : 0;
    cancelled += facts.reason == reason_cancelled_by_client ? 1 : 0;
    unasked += facts.reason == reason_turn_unanswered ? 1 : 0;
    answered_turns += facts.outcome == Outcome::completed && facts.request->turn > 1 ? 1 : 0;
  }
  void run_ended(const RunFacts& facts) override { watchdogs += facts.watchdog.empty() ? 0 : 1; }

  std::int64_t evictions = 0;
  std::int64_t recomputed = 0;
  std::int64_t chunks = 0;
  std::int64_t empty_passes = 0;
  std::int64_t withdrawn = 0;
  std::int64_t unclaimed = 0;
  std::int64_t timed_out = 0;
  std::int64_t cancelled = 0;
  std::int64_t unasked = 0;
  std::int64_t answered_turns = 0;
  std::int64_t idle_passes = 0;
  std::int64_t watchdogs = 0;
  std::array<std::int64_t, admission_limit_names.size()> limits{};
  std::array<std::int64_t, 4> outcomes{};
};

}  // namespace

TEST_CASE("the invariants hold in every run") {
  for (const Engine& engine : engines()) {
    CAPTURE(engine.name);
    Coverage coverage;
    int failures = 0;
    for (std::uint64_t seed = 1; seed <= last_seed() && failures < 3; ++seed) {
      const RandomScenario scenario = random_scenario(seed);
      InvariantChecker invariants(scenario.server, scenario.concurrency);
      play(engine, scenario.server, scenario.requests, scenario.concurrency, {&invariants, &coverage}, scenario.closes);
      if (invariants.violation().empty()) continue;
      ++failures;
      CAPTURE(seed);
      FAIL_CHECK(invariants.violation() << "\n" << scenario.yaml());
    }

    const auto runs = static_cast<std::int64_t>(last_seed());
    CHECK(coverage.evictions > 2 * runs);
    CHECK(coverage.recomputed > 20 * runs);
    CHECK(coverage.chunks > 8 * runs);
    CHECK(coverage.empty_passes > runs);
    CHECK(coverage.withdrawn > runs / 100);
    CHECK(coverage.unclaimed > runs / 10);
    CHECK(coverage.timed_out > runs / 5);
    CHECK(coverage.cancelled > runs / 5);
    CHECK(coverage.unasked > runs / 20);
    CHECK(coverage.answered_turns > runs / 5);
    CHECK(coverage.idle_passes > runs / 2);
    CHECK(coverage.watchdogs > runs / 100);
    for (AdmissionLimit limit : {AdmissionLimit::arrivals, AdmissionLimit::kv_capacity, AdmissionLimit::max_num_seqs,
                                 AdmissionLimit::token_budget}) {
      CHECK(coverage.limits[static_cast<std::size_t>(limit)] > 3 * runs);
    }
    for (std::int64_t requests : coverage.outcomes) CHECK(requests > runs / 20);
  }
}

}  // namespace decodesim::tests
