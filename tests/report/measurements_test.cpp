// What Measurements makes of runs that are told by hand.

#include "sim/report/measurements.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "sim/core/check.hpp"
#include "sim/report/slo_verdict.hpp"
#include "tests/report/told_run.hpp"

using namespace decodesim;
using namespace decodesim::tests;
using doctest::Approx;

namespace {

/// `count` requests in a row, one a second, each with one token from a step of its own.
Report one_a_second(std::int64_t count, MeasureWindow window, bool closed_loop = false, std::int64_t waiting = 0) {
  RunHeader header = header_of(count);
  header.closed_loop = closed_loop;
  Measurements measurements(header, {1, window}, {});
  std::vector<Request> requests;
  for (std::int64_t i = 0; i < count; ++i) requests.push_back(request_of(i, "", at(i), 10 + i, 1));
  for (std::int64_t i = 0; i < count; ++i) {
    measurements.arrived(requests[static_cast<std::size_t>(i)]);
    StepFacts facts = step_of(i + 1, at(i), at(i + 1));
    facts.shape.samples = facts.scheduled = facts.running = 1;
    facts.waiting = waiting;
    facts.free_blocks = 10 - i % 10;
    measurements.step(facts);
    measurements.ended(completed(requests[static_cast<std::size_t>(i)], at(i), at(i + 1), at(i + 1)));
  }
  measurements.run_ended({at(count), false, ""});
  return measurements.report();
}

}  // namespace

TEST_CASE("counts, rates and latencies of two requests are those computed by hand") {
  Measurements measurements(header_of(2), {}, {});
  tell_two_requests(measurements);
  const Report report = measurements.report();
  CHECK(report.requests_in == 2);
  CHECK(report.completed == 2);
  CHECK(report.duration == seconds(3));
  CHECK(report.total_input_tokens == 9);
  CHECK(report.total_output_tokens == 4);
  CHECK(report.request_throughput == Approx(2.0 / 3));
  CHECK(report.output_throughput == Approx(4.0 / 3));
  CHECK(report.total_token_throughput == Approx(13.0 / 3));
  CHECK(std::isnan(report.request_goodput));
  CHECK(report.ttft.mean == 1000);
  CHECK(report.ttft.std == 0);
  CHECK(report.tpot.count == 1);  // B has one token only
  CHECK(report.tpot.p50 == 1000);
  CHECK(report.itl.count == 2);
  CHECK(report.itl.p99 == 1000);
  CHECK(report.e2el.mean == 2000);
  CHECK(report.e2el.p50 == 2000);
  CHECK(report.e2el.std == 1000);
  CHECK(report.e2el.p99 == Approx(2980));
  CHECK(report.user_decode.mean == 1);
  CHECK(report.user_end_to_end.mean == 1);
}

TEST_CASE("KV use, steps and the ledger of two requests are those computed by hand") {
  Measurements measurements(header_of(2), {}, {});
  tell_two_requests(measurements);
  const Report report = measurements.report();
  CHECK(report.kv.usage_mean == Approx(7.0 / 30));
  CHECK(report.kv.usage_peak == Approx(0.3));
  CHECK(report.kv.token_states_mean == Approx(24.0 / 120));
  CHECK(report.kv.token_states_mean + report.kv.internal_waste_mean + report.kv.free_mean == Approx(1).epsilon(1e-15));
  CHECK(report.steps.count == 3);
  CHECK(report.steps.idle_count == 0);
  CHECK(report.steps.mean_ms == 1000);
  CHECK(report.steps.batch_mean == Approx(4.0 / 3));
  CHECK(report.steps.batch_peak == 2);
  CHECK(report.steps.running_mean == Approx(4.0 / 3));
  CHECK(report.ledger.duration() == seconds(3));
  CHECK(report.limits.step[static_cast<std::size_t>(BoundBy::fixed)] == 1);
  CHECK(report.limits.admission[static_cast<std::size_t>(AdmissionLimit::arrivals)] == 1);
  CHECK(report.limits.binding == "arrivals held the batch at 1.333 sequences; the scenario fixes the length of a step");
  CHECK(report.saturation.verdict == Saturation::stable);
}

TEST_CASE("a window holds what ends after its opening ending and up to its closing one") {
  const Report report = one_a_second(8, {0.25, 0.25});
  CHECK_FALSE(report.window.whole_run);
  CHECK(report.window.open == at(2));
  CHECK(report.window.close == at(6));
  CHECK(report.window.requests == 4);
  CHECK(report.steps.count == 4);
  CHECK(report.request_throughput == 1);
  CHECK(report.output_throughput == 1);
  CHECK(report.total_token_throughput == Approx((12 + 13 + 14 + 15 + 4) / 4.0));
  CHECK(report.kv.usage_mean == Approx((2 + 3 + 4 + 5) / 40.0));
  CHECK(report.ledger.duration() == seconds(4));
  // Conservation does not know of the window.
  CHECK(report.completed == 8);
  CHECK(report.total_output_tokens == 8);
  CHECK(report.duration == seconds(8));
  CHECK(report.busy == seconds(8));
}

TEST_CASE("a window's shares round down at the front and up at the back") {
  CHECK(one_a_second(7, {0.29, 0}).window.open == at(2));
  CHECK(one_a_second(7, {0, 0.29}).window.close == at(5));
  CHECK(one_a_second(100, {0.29, 0}).window.open == at(29));  // although 0.29 * 100 < 29 in floating point
  CHECK(one_a_second(7, {0.1, 0.1}).window.whole_run);
  CHECK(one_a_second(7, {}).window.whole_run);
}

TEST_CASE("requests that end at the instant of opening are outside, at that of closing inside") {
  Measurements measurements(header_of(6), {1, {0.34, 0.34}}, {});  // from the second ending to the fourth
  std::vector<Request> requests;
  for (std::int64_t i = 0; i < 6; ++i) requests.push_back(request_of(i, "", at(0), 1, 1));
  for (const Request& request : requests) measurements.arrived(request);
  for (std::int64_t wave = 0; wave < 2; ++wave) {
    StepFacts facts = step_of(wave + 1, at(wave), at(wave + 1));
    facts.shape.samples = facts.scheduled = facts.running = 3;
    measurements.step(facts);
    for (std::size_t i = 0; i < 3; ++i) {
      measurements.ended(
          completed(requests[static_cast<std::size_t>(wave) * 3 + i], at(wave), at(wave + 1), at(wave + 1)));
    }
  }
  measurements.run_ended({at(2), false, ""});
  const Report report = measurements.report();
  CHECK(report.window.open == at(1));
  CHECK(report.window.close == at(2));
  CHECK(report.window.requests == 3);
  CHECK(report.output_throughput == 3);
}

TEST_CASE("a run that ends before its window opens has measured nothing and says so") {
  Measurements measurements(header_of(100), {1, {0.5, 0}}, {});
  tell_two_requests(measurements);
  const Report report = measurements.report();
  CHECK_FALSE(report.window.opened);
  CHECK(std::isnan(report.output_throughput));
  CHECK(std::isnan(report.kv.usage_mean));
  CHECK(std::isnan(report.ttft.mean));
  CHECK(report.completed == 2);
  REQUIRE(report.warnings.size() == 1);
  CHECK(report.warnings[0] == "the run ended before its window opened: nothing was measured");
}

TEST_CASE("time in which the server sleeps counts towards the averages, and idle passes are counted") {
  Measurements measurements(header_of(2), {}, {});
  const Request first = request_of(0, "", at(0), 4, 1);
  const Request second = request_of(1, "", at(3), 4, 1);
  StepFacts facts = step_of(1, at(0), at(1));
  facts.shape.samples = facts.scheduled = facts.running = 1;
  facts.free_blocks = 6;
  facts.cached_tokens = 16;
  measurements.arrived(first);
  measurements.step(facts);
  measurements.ended(completed(first, at(0), at(1), at(1)));
  measurements.idle(2, 2, at(1), 10);
  measurements.arrived(second);
  facts.number = 4;
  facts.start = at(3);
  facts.end = at(4);
  measurements.step(facts);
  measurements.ended(completed(second, at(3), at(4), at(4)));
  measurements.run_ended({at(4), false, ""});
  const Report report = measurements.report();
  CHECK(report.steps.count == 4);
  CHECK(report.steps.idle_count == 2);
  CHECK(report.steps.batch_mean == 1);
  CHECK(report.steps.running_mean == 0.5);
  CHECK(report.kv.usage_mean == Approx(0.2));
  CHECK(report.kv.token_states_mean == Approx(0.2));
  CHECK(report.kv.free_mean == Approx(0.8));
  CHECK(report.kv.usage_peak == Approx(0.4));
  CHECK(report.passes == 4);
}

TEST_CASE("evictions count preemptions, those who suffered them and the work done again") {
  Measurements measurements(header_of(2), {}, {});
  const Request a = request_of(0, "", at(0), 4, 1);
  const Request b = request_of(1, "", at(0), 4, 1);
  measurements.arrived(a);
  measurements.arrived(b);
  StepFacts facts = step_of(1, at(0), at(2));
  facts.shape.samples = facts.scheduled = facts.running = 2;
  const std::vector<EvictionFacts> evictions{
      {.victim = &a, .requester = &b, .tokens = 4, .blocks = 2, .free_before = 0},
      {.victim = &a, .requester = &a, .reason = EvictionReason::prefill, .tokens = 3, .blocks = 1, .free_before = 3},
      {.victim = &a, .requester = nullptr, .reason = EvictionReason::retraction, .tokens = 2, .blocks = 1}};
  const std::vector<RecomputeFacts> recomputes{{&a, 7}};
  facts.preempted = 3;
  facts.evictions = evictions;
  facts.recomputes = recomputes;
  facts.recomputed_tokens = 7;
  facts.recompute_time = Duration(500'000'000);
  facts.limit = AdmissionLimit::kv_capacity;
  measurements.step(facts);
  RequestFacts end = completed(a, at(0), at(2), at(2));
  end.preemptions = 3;
  end.recomputed_tokens = 7;
  end.discarded_tokens = 9;
  measurements.ended(end);
  measurements.ended(completed(b, at(0), at(2), at(2)));
  measurements.run_ended({at(2), false, ""});
  const Report report = measurements.report();
  CHECK(report.evictions.run.account.preemptions == 3);
  CHECK(report.evictions.run.preempted == 1);
  CHECK(report.evictions.run.most == 3);
  CHECK(report.evictions.run.account.recomputed_tokens == 7);
  CHECK(report.busy == seconds(2));
  const EvictionAccount& sum = report.evictions.run.account;
  CHECK(sum.by_reason == std::array<std::int64_t, 4>{1, 1, 0, 1});
  CHECK(sum.blocks_by_reason == std::array<std::int64_t, 4>{2, 1, 0, 1});
  CHECK(sum.of_itself == 1);
  CHECK(sum.blocks_for_itself == 1);
  CHECK(sum.blocks_for_nobody == 1);
  CHECK(report.evictions.run.blocks_received == 2);
  CHECK(sum.free_before == 3);
  CHECK(sum.recompute_time == Duration(500'000'000));
  CHECK(sum.away == seconds(2));
  CHECK(report.limits.batch_limit == "KV capacity");
}

TEST_CASE("requests that failed are counted by reason and keep out of latencies and token sums") {
  Measurements measurements(header_of(4), {}, {});
  tell_two_requests(measurements);
  Measurements other(header_of(4), {}, {});
  const Request long_one = request_of(2, "", at(0), 50, 3);
  const Request other_long = request_of(3, "", at(0), 60, 3);
  for (const Request* request : {&long_one, &other_long}) {
    other.arrived(*request);
    other.ended(failed(*request, Outcome::rejected, "never fits the KV pool", at(0)));
  }
  tell_two_requests(other);
  const Report report = other.report();
  CHECK(report.requests_in == 4);
  CHECK(report.rejected == 2);
  REQUIRE(report.outcomes.size() == 1);
  CHECK(report.outcomes[0].reason == "never fits the KV pool");
  CHECK(report.outcomes[0].count == 2);
  CHECK(report.total_input_tokens == measurements.report().total_input_tokens);
  CHECK(report.output_throughput == measurements.report().output_throughput);
  CHECK(report.e2el.mean == measurements.report().e2el.mean);
}

TEST_CASE(
    "goodput counts the requests within every limit, and the verdict holds each 99th percentile against its own") {
  SloSpec slo;
  slo.ttft_p99 = seconds(1);
  slo.e2el_p99 = Duration(2'980'000'000);
  Measurements measurements(header_of(2), {}, slo);
  tell_two_requests(measurements);
  Report report = measurements.report();
  CHECK(report.request_goodput == Approx(1.0 / 3));  // A takes 3 s
  const auto checks = slo_checks(report);
  REQUIRE(checks.size() == 2);
  CHECK(checks[0].name == "TTFT");
  CHECK(checks[0].met);
  CHECK(checks[1].name == "E2EL");
  CHECK(checks[1].met);  // p99 interpolates to 2.98 s
  CHECK(slo_met(report));
  report.slo.e2el_p99 = Duration(2'979'000'000);
  CHECK_FALSE(slo_met(report));
  report.slo = {};
  CHECK(slo_checks(report).empty());
  CHECK(slo_met(report));
}

TEST_CASE("a limit on what no request has is met, unless none completed") {
  SloSpec slo;
  slo.tpot_p99 = Duration(1);
  Report report = one_a_second(3, {});
  report.slo = slo;
  CHECK(slo_met(report));
  report.window.completed = 0;
  CHECK_FALSE(slo_met(report));
}

TEST_CASE("a short run is warned about, a long one is not") {
  const Report few = one_a_second(99, {});
  REQUIRE(few.warnings.size() == 1);
  CHECK(few.warnings[0] ==
        "only 99 requests ended in the window: fewer than 100, so percentiles rest on single requests; "
        "raise workload.num_requests");
  CHECK(one_a_second(100, {}).warnings.empty());
  const Report brief = one_a_second(5, {});
  REQUIRE(brief.warnings.size() == 2);
  CHECK(brief.warnings[1] ==
        "the window is 5.0 times as long as a request lives on average: below 10, results still depend on how the run "
        "began; raise workload.num_requests");
}

TEST_CASE("facts that do not add up are a broken invariant") {
  const Request a = request_of(0, "", at(0), 4, 2);
  const auto run = [&](auto spoil) {
    Measurements measurements(header_of(1), {}, {});
    measurements.arrived(a);
    StepFacts first = step_of(1, at(0), at(1));
    first.shape.samples = first.scheduled = 1;
    StepFacts second = step_of(2, at(1), at(2));
    second.shape.samples = second.scheduled = 1;
    std::vector<TokenGap> gaps{{seconds(1), 1}};
    second.gaps = gaps;
    RequestFacts end = completed(a, at(0), at(1), at(2));
    spoil(second, end);
    measurements.step(first);
    measurements.step(second);
    measurements.ended(end);
    measurements.run_ended({at(2), false, ""});
  };
  CHECK_NOTHROW(run([](StepFacts&, RequestFacts&) {}));
  CHECK_THROWS_AS(run([](StepFacts& step, RequestFacts&) { step.shape.samples = 2; }), BrokenInvariant);
  CHECK_THROWS_AS(run([](StepFacts& step, RequestFacts&) { step.gaps = {}; }), BrokenInvariant);
  CHECK_THROWS_AS(run([](StepFacts& step, RequestFacts&) { step.preempted = 1; }), BrokenInvariant);
  CHECK_THROWS_AS(run([](StepFacts& step, RequestFacts&) { step.ledger = {}; }), BrokenInvariant);
  CHECK_THROWS_AS(run([](StepFacts& step, RequestFacts&) { step.recomputed_tokens = 1; }), BrokenInvariant);
  CHECK_THROWS_AS(run([](StepFacts&, RequestFacts& end) { end.output_tokens = 1; }), BrokenInvariant);
  Measurements lost(header_of(1), {}, {});
  lost.arrived(a);
  CHECK_THROWS_AS(lost.run_ended({at(1), false, ""}), BrokenInvariant);
}

TEST_CASE("a closed loop is saturated where something waits most of the time, else its clients limit it") {
  CHECK(one_a_second(8, {}, true, 3).saturation.verdict == Saturation::saturated);
  CHECK(one_a_second(8, {}, true, 0).saturation.verdict == Saturation::client_limited);
  CHECK(one_a_second(8, {}, true, 0).limits.batch_limit == "clients");
  CHECK(std::isnan(one_a_second(8, {}, true, 3).saturation.queue_slope_per_s));
}
