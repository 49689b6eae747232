// Limits that SLO classes have of their own, from the scenario to the verdict.

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "sim/report/measurements.hpp"
#include "sim/report/slo_verdict.hpp"
#include "sim/report/verdict_text.hpp"
#include "tests/report/told_run.hpp"

namespace decodesim::tests {

namespace {

constexpr Duration half_second{500'000'000};

/// A request of the class that gets its only token after `took`.
void tell(Measurements& measurements, std::int64_t index, const std::string& slo_class, Duration took) {
  Request request = request_of(index, "", at(0), 3, 1);
  request.slo_class = slo_class;
  measurements.arrived(request);
  StepFacts facts = step_of(index + 1, at(index), at(index + 1));
  facts.shape.add(0, 3);
  facts.shape.samples = facts.running = facts.scheduled = 1;
  measurements.step(facts);
  measurements.ended(completed(request, at(0), Time(took), Time(took)));
}

Report report_of(const SloSpec& slo, const std::map<std::string, SloSpec>& classes,
                 const std::vector<std::pair<std::string, Duration>>& requests) {
  Measurements measurements(header_of(static_cast<std::int64_t>(requests.size())), {}, slo, classes);
  std::int64_t index = 0;
  for (const auto& [slo_class, took] : requests) tell(measurements, index++, slo_class, took);
  measurements.run_ended({at(index), false, ""});
  return measurements.report();
}

std::string verdict_of(const Report& report) {
  std::ostringstream text;
  write_verdict(report, text);
  return text.str().substr(0, text.str().find('\n'));
}

}  // namespace

TEST_CASE("each class is held against its own limits, and the others against those of all") {
  const std::map<std::string, SloSpec> own{{"chat", {.ttft_p99 = half_second}}};
  const Report report = report_of({.ttft_p99 = seconds(2)}, own, {{"chat", seconds(1)}, {"batch", seconds(1)}});
  const auto checks = slo_checks(report);
  REQUIRE(checks.size() == 2);
  CHECK(checks[0].slo_class == "batch");
  CHECK(checks[0].met);
  CHECK(checks[1].slo_class == "chat");
  CHECK(checks[1].measured_ms == 1000);
  CHECK_FALSE(checks[1].met);
  CHECK_FALSE(slo_met(report));
  CHECK(report.request_goodput == doctest::Approx(1));
  CHECK(
      verdict_of(report).starts_with("SLO MISSED (chat TTFT)  p99 batch TTFT 1.00 s <= 2 s  p99 chat TTFT 1.00 s > "));
}

TEST_CASE("the limits of the only class are a verdict too") {
  const Report report = report_of({}, {{"chat", {.e2el_p99 = seconds(1)}}}, {{"chat", seconds(1)}});
  CHECK(slo_met(report));
  CHECK(verdict_of(report).starts_with("SLO MET  p99 chat E2EL 1.00 s <= 1 s"));
}

TEST_CASE("ITL is held against the limit of all, whatever classes have of their own") {
  const Report report = report_of({.ttft_p99 = seconds(1), .itl_p99 = seconds(1)}, {{"chat", {.ttft_p99 = seconds(1)}}},
                                  {{"chat", seconds(1)}, {"", seconds(3)}});
  const auto checks = slo_checks(report);
  REQUIRE(checks.size() == 3);
  CHECK(checks[0].slo_class == "");
  CHECK_FALSE(checks[0].met);
  CHECK(checks[1].slo_class == "chat");
  CHECK(checks[2].name == "ITL");
  CHECK_FALSE(checks[2].slo_class);
  CHECK(verdict_of(report).starts_with("SLO MISSED ((none) TTFT)"));
}

TEST_CASE("limits of a class that no request was of are warned of") {
  const Report report = report_of({}, {{"chta", {.ttft_p99 = seconds(1)}}}, {{"chat", seconds(1)}});
  CHECK(std::count(report.warnings.begin(), report.warnings.end(),
                   "slo has limits for class 'chta', and no request is of it") == 1);
}

}  // namespace decodesim::tests
