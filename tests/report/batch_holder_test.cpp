// What held the batch is judged over the time in which requests waited, unless the server keeps up.

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "sim/report/measurements.hpp"
#include "tests/report/told_run.hpp"

using namespace decodesim;
using namespace decodesim::tests;
using doctest::Approx;

namespace {

/// Forty requests come within 20 s. For 40 s passes of a second run four and leave a queue that grows by one every half
/// second, held down by `holder`; then sixty seconds drain the batch with nothing waiting.
Report overload(AdmissionLimit holder, bool closed_loop = false) {
  RunHeader header = header_of(40);
  header.closed_loop = closed_loop;
  Measurements measurements(header, {}, {});
  std::vector<Request> requests;
  for (std::int64_t i = 0; i < 40; ++i) {
    requests.push_back(request_of(i, "", Time(Duration(i * 500'000'000)), 4, 1));
  }
  std::size_t came = 0;
  for (std::int64_t second = 0; second < 100; ++second) {
    while (came < 40 && requests[came].arrival <= at(second)) measurements.arrived(requests[came++]);
    StepFacts facts = step_of(second + 1, at(second), at(second + 1));
    const bool waits = second < 40;
    facts.waiting = waits ? static_cast<std::int64_t>(came) : 0;
    facts.scheduled = facts.running = waits ? 4 : 1;
    facts.limit = waits ? holder : AdmissionLimit::arrivals;
    facts.shape.samples = second >= 60 ? 1 : 0;
    measurements.step(facts);
    if (second < 60) continue;
    const Request& done = requests[static_cast<std::size_t>(second - 60)];
    measurements.ended(completed(done, at(second), at(second + 1), at(second + 1)));
  }
  measurements.run_ended({at(100), false, ""});
  return measurements.report();
}

}  // namespace

TEST_CASE("an overloaded server was held by what its queue waited for, however long it drained afterwards") {
  const Report report = overload(AdmissionLimit::max_num_seqs);
  CHECK(report.saturation.verdict == Saturation::overloaded);
  CHECK(report.limits.batch_limit == "max_num_seqs");
  CHECK(
      report.limits.binding ==
      "max_num_seqs held the batch at 2.200 sequences on average, 4 at most; the scenario fixes the length of a step");
  // The shares are those of all step time.
  CHECK(report.limits.admission[static_cast<std::size_t>(AdmissionLimit::arrivals)] == Approx(0.6));
  CHECK(report.limits.admission[static_cast<std::size_t>(AdmissionLimit::max_num_seqs)] == Approx(0.4));
  CHECK(report.saturation.waiting_share == Approx(0.4));
  CHECK(overload(AdmissionLimit::kv_capacity).limits.batch_limit == "KV capacity");
  CHECK(overload(AdmissionLimit::token_budget).limits.batch_limit == "token budget");
}

TEST_CASE("a server whose queue never starts says what lets none of it run") {
  Measurements measurements(header_of(1), {}, {});
  const Request request = request_of(0, "", at(0), 400, 1);
  measurements.arrived(request);
  StepFacts facts = step_of(1, at(0), at(1));
  facts.waiting = 1;
  facts.limit = AdmissionLimit::kv_capacity;
  measurements.step(facts);
  measurements.ended(failed(request, Outcome::unfinished, "the watchdog ended the run", at(1)));
  measurements.run_ended({at(1), false, "it waits for 100 blocks"});
  CHECK(measurements.report().limits.binding == "KV capacity let no sequence run");
}

TEST_CASE("a server that waits for its clients most of the time is held by them") {
  const Report report = overload(AdmissionLimit::max_num_seqs, true);
  CHECK(report.saturation.verdict == Saturation::client_limited);
  CHECK(report.limits.batch_limit == "clients");
  CHECK(report.limits.binding.starts_with("clients held the batch at 2.200 sequences; "));
}
