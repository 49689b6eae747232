// Runs in which requests are not served: the first line says so, and nobody is told that the server keeps up.

#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "sim/report/measurements.hpp"
#include "sim/report/report_json.hpp"
#include "sim/report/slo_verdict.hpp"
#include "sim/report/summary_text.hpp"
#include "tests/report/told_run.hpp"

using namespace decodesim;
using namespace decodesim::tests;

namespace {

struct Failure {
  Outcome outcome;
  std::string reason;
  std::int64_t count;
};

/// A run in which all of `failures` come and go at time zero, after the two requests that are served, if `served`.
Report run_of(const std::vector<Failure>& failures, bool served, SloSpec slo = {}) {
  std::vector<Request> requests;
  std::int64_t count = served ? 2 : 0;
  for (const Failure& failure : failures) count += failure.count;
  Measurements measurements(header_of(count), {}, slo);
  for (std::int64_t i = 0; i < count; ++i) requests.push_back(request_of(i + 2, "", at(0), 50, 3));
  auto next = requests.begin();
  for (const Failure& failure : failures) {
    for (std::int64_t i = 0; i < failure.count; ++i, ++next) {
      measurements.arrived(*next);
      measurements.ended(failed(*next, failure.outcome, failure.reason, at(0)));
    }
  }
  if (served) {
    tell_two_requests(measurements);
  } else {
    measurements.run_ended({at(0), false, ""});
  }
  return measurements.report();
}

std::string text_of(const Report& report) {
  std::ostringstream out;
  write_text(report, out);
  return out.str();
}

std::string first_line(const Report& report) { return text_of(report).substr(0, text_of(report).find('\n')); }

nlohmann::json verdict_of(const Report& report) {
  std::ostringstream out;
  write_json(report, out);
  return nlohmann::json::parse(out.str()).at("saturation").at("verdict");
}

const std::vector<Failure> all_rejected{{Outcome::rejected, "prompt reaches max_model_len", 10}};

SloSpec some_slo() {
  SloSpec slo;
  slo.ttft_p99 = seconds(2);
  return slo;
}

}  // namespace

TEST_CASE("a run that served nobody says so first, and why") {
  CHECK(first_line(run_of(all_rejected, false)) ==
        "NOTHING SERVED  10 of 10 requests rejected: prompt reaches max_model_len");
  CHECK(first_line(run_of({{Outcome::unfinished, "the run was interrupted", 1}}, false)) ==
        "NOTHING SERVED  1 of 1 request unfinished: the run was interrupted");
  CHECK(first_line(run_of({{Outcome::rejected, "too long", 7}, {Outcome::cancelled, "timed out", 1234}}, false)) ==
        "NOTHING SERVED  of 1,241 requests 7 rejected (too long), 1,234 cancelled (timed out)");
}

TEST_CASE("a run that served nobody has missed its SLO for the same reason") {
  CHECK(first_line(run_of(all_rejected, false, some_slo())) ==
        "SLO MISSED  nothing completed: 10 of 10 requests rejected: prompt reaches max_model_len");
}

TEST_CASE("a server that completed nothing is not said to keep up") {
  const Report report = run_of(all_rejected, false);
  CHECK_FALSE(report.saturation.verdict.has_value());
  CHECK(verdict_of(report).is_null());
  const std::string text = text_of(report);
  CHECK(text.find("STABLE") == std::string::npos);
  CHECK(text.find("keeps up with what comes") == std::string::npos);
  CHECK(text.find("\nSaturation            NOTHING SERVED: ") != std::string::npos);
  CHECK(verdict_of(run_of(all_rejected, true)) == "STABLE");
}

TEST_CASE("the first line ends with the requests that were not served") {
  const std::vector<Failure> failures{{Outcome::rejected, "too long", 3},
                                      {Outcome::cancelled, "preempted itself too often", 2},
                                      {Outcome::unfinished, "the watchdog ended the run", 5}};
  CHECK(first_line(run_of(failures, true)).ends_with("arrivals bound  STABLE  3 rejected  2 cancelled  5 unfinished"));
  CHECK(
      first_line(run_of(failures, true, some_slo())) ==
      "SLO MET  p99 TTFT 1.00 s <= 2 s  goodput 0.667 of 0.667 req/s completed  3 rejected  2 cancelled  5 unfinished");
  CHECK(first_line(run_of({{Outcome::cancelled, "timed out", 1}}, true)).ends_with("STABLE  1 cancelled"));
}

TEST_CASE("a share of good requests counts those that failed, but not those that their users cancelled") {
  // Two completed, ten did not, one was not wanted any more and one never asked for.
  const std::vector<Failure> failures{{Outcome::rejected, "too long", 4},
                                      {Outcome::cancelled, "timed out", 6},
                                      {Outcome::cancelled, std::string(reason_cancelled_by_client), 1},
                                      {Outcome::cancelled, std::string(reason_turn_unanswered), 1}};
  const Report silent = run_of(failures, true, some_slo());
  CHECK(silent.good_share == doctest::Approx(2.0 / 12));
  CHECK(slo_met(silent));
  CHECK(std::count(
            silent.warnings.begin(), silent.warnings.end(),
            "10 of 12 requests were not answered, and the limits speak of the others: state slo.min_goodput to hold "
            "all of them against it") == 1);
  SloSpec slo = some_slo();
  slo.min_goodput = 0.5;
  const Report report = run_of(failures, true, slo);
  CHECK_FALSE(slo_met(report));
  CHECK(first_line(report).starts_with("SLO MISSED (goodput)  p99 TTFT 1.00 s <= 2 s  good 16.7 % < 50.0 %  goodput "));
  CHECK(std::none_of(report.warnings.begin(), report.warnings.end(),
                     [](const std::string& warning) { return warning.find("min_goodput") != std::string::npos; }));
  slo.min_goodput = 2.0 / 12;
  CHECK(slo_met(run_of(failures, true, slo)));
  SloSpec alone;
  alone.min_goodput = 0.9;
  CHECK(first_line(run_of(failures, true, alone)).starts_with("SLO MISSED (goodput)  good 16.7 % < 90.0 %"));
}

TEST_CASE("a run that ends before its window completes anything has measured nothing") {
  const auto report_of = [](SloSpec slo) {
    Measurements measurements(header_of(100), {1, {0.5, 0}}, slo);
    tell_two_requests(measurements);
    return measurements.report();
  };
  CHECK(first_line(report_of({})) == "NOTHING MEASURED  no request completed in the window");
  CHECK(first_line(report_of(some_slo())) == "SLO MISSED  no request completed in the window");
  CHECK(verdict_of(report_of({})).is_null());
  CHECK(text_of(report_of({})).find("\nSaturation            n/a: nothing was measured\n") != std::string::npos);
}
