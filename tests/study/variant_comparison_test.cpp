#include "sim/study/variant_comparison.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/report/measurements.hpp"
#include "sim/scenario/assemble.hpp"
#include "tests/study/study_files.hpp"

using namespace decodesim;
using namespace decodesim::tests;
using doctest::Approx;

namespace {

struct Options {
  std::vector<std::string> vary;
  std::vector<std::string> sets{};
  std::int64_t seeds = 4;
  std::int64_t jobs = 1;
  std::vector<std::string> limits{};
  std::int64_t stop_after = -1;  // runs
};

VariantComparison compared(const std::string& text, const Options& options) {
  const StudyFile file(text);
  std::vector<Diagnostic> diagnostics;
  std::vector<VariedField> varied;
  for (const std::string& one : options.vary) varied.push_back(parse_varied_field(one));
  std::vector<RegressionLimit> limits;
  for (const std::string& one : options.limits) limits.push_back(parse_regression_limit(one));
  std::vector<Variant> variants =
      make_variants(std::vector<std::string>{file.path()}, varied, options.sets, diagnostics);
  for (Variant& variant : variants) variant.file = "busy.yaml";  // what is written must not depend on where it lay
  std::atomic<bool> stop{options.stop_after == 0};
  return compare_variants(std::move(variants), {7, options.seeds, options.jobs, "0"}, limits, stop,
                          [&](std::int64_t done, std::int64_t) {
                            if (done == options.stop_after) stop = true;
                          });
}

std::string text_of(const VariantComparison& comparison) {
  std::ostringstream out;
  write_text(comparison, out);
  return out.str();
}
nlohmann::json json_of(const VariantComparison& comparison) {
  std::ostringstream out;
  write_json(comparison, out);
  return nlohmann::json::parse(out.str());
}

const MetricRow& row_of(const VariantComparison& comparison, std::string_view metric) {
  for (const MetricRow& row : comparison.rows) {
    if (row.metric->name == metric) return row;
  }
  throw std::out_of_range("no such metric");
}

}  // namespace

TEST_CASE("any number of threads leaves the same bytes") {
  Options options{{"scheduler.watermark=0,0.1,0.3", "scheduler.max_num_seqs=4,8"}};
  const VariantComparison alone = compared(busy_server, options);
  for (std::int64_t jobs : {2, 3, 16, 64}) {
    CAPTURE(jobs);
    options.jobs = jobs;
    const VariantComparison together = compared(busy_server, options);
    CHECK(text_of(together) == text_of(alone));
    CHECK(json_of(together) == json_of(alone));
  }
}

TEST_CASE("seed k of every variant is the first one's plus k, and its metrics are those of a run of its own") {
  const VariantComparison comparison = compared(busy_server, {{"scheduler.watermark=0,0.2"}});
  CHECK(comparison.complete_seeds == std::vector<std::uint64_t>{7, 8, 9, 10});
  std::vector<double> sums(metric_table().size());
  for (std::uint64_t seed : comparison.complete_seeds) {
    Scenario scenario = *comparison.variants[1].scenario;
    scenario.run.seed = seed;
    Assembly parts = assemble(scenario, "0");
    Measurements measurements(parts.header, scenario.run, scenario.slo);
    Observer* const observers[] = {&measurements};
    simulate(parts.server, *parts.source, observers);
    for (std::size_t m = 0; m < sums.size(); ++m) sums[m] += metric_table()[m].of(measurements.report());
  }
  for (std::size_t m = 0; m < sums.size(); ++m) {
    CAPTURE(metric_table()[m].name);
    const double mean = comparison.rows[m].standings[1].mean;
    if (std::isnan(sums[m])) {
      CHECK(std::isnan(mean));
    } else {
      CHECK(mean == Approx(sums[m] / 4));
    }
  }
  CHECK(row_of(comparison, "preemptions").standings[0].mean > 0);
}

TEST_CASE("a difference is that of the means, its interval that of the paired values") {
  const VariantComparison comparison = compared(busy_server, {{"scheduler.watermark=0,0.2"}});
  for (const MetricRow& row : comparison.rows) {
    CAPTURE(row.metric->name);
    const PairedDifference& difference = row.standings[1].difference;
    CHECK(row.standings[0].difference.pairs == 0);
    if (difference.pairs == 0) continue;
    CHECK(difference.first_mean == Approx(row.standings[0].mean));
    CHECK(difference.mean == Approx(row.standings[1].mean - row.standings[0].mean).scale(1 + row.standings[0].mean));
    CHECK(difference.half_width >= 0);
  }
}

TEST_CASE("variants that do the same are equal in every metric, and none is best") {
  const VariantComparison comparison = compared(busy_server, {{"scheduler.never_fits=reject,{fail_after: 1000}"}});
  for (const MetricRow& row : comparison.rows) {
    CAPTURE(row.metric->name);
    for (const Standing& one : row.standings) CHECK(!one.best);
    const PairedDifference& difference = row.standings[1].difference;
    if (difference.pairs > 0) CHECK((difference.mean == 0 && difference.half_width == 0));
  }
  CHECK(text_of(comparison).find("equal") != std::string::npos);
}

TEST_CASE("the best of a row is the highest or the lowest mean, as the metric has it") {
  const VariantComparison comparison = compared(busy_server, {{"scheduler.max_num_seqs=1,8"}});
  const MetricRow& rate = row_of(comparison, "output_throughput");
  CHECK(rate.standings[1].mean > rate.standings[0].mean);
  CHECK((rate.standings[1].best && !rate.standings[0].best));
  const MetricRow& preemptions = row_of(comparison, "preemptions");
  CHECK((preemptions.standings[0].best && !preemptions.standings[1].best));
  for (const Standing& one : row_of(comparison, "kv_usage_mean").standings) CHECK(!one.best);
}

TEST_CASE("a variant that cannot run is a column with its reason, and the others are compared all the same") {
  // Ten blocks hold no request of 30 + 36 tokens.
  const VariantComparison comparison =
      compared(busy_server, {{"memory.num_gpu_blocks=10,0,40,80"}, {"scheduler.never_fits=hang"}});
  CHECK(comparison.played[0].objection.find("seed 7: the watchdog") == 0);
  CHECK(comparison.played[1].objection.find("does not load") != std::string::npos);
  CHECK(comparison.first == std::size_t{2});
  CHECK(comparison.complete_seeds.size() == 4);
  CHECK(row_of(comparison, "output_throughput").standings[3].difference.pairs == 4);
  const std::string text = text_of(comparison);
  CHECK(text.find("cannot run: seed 7") != std::string::npos);
  const auto json = json_of(comparison);
  CHECK(json.at("variants").at(1).at("cannot_run").is_string());
  CHECK(json.at("variants").at(2).at("cannot_run").is_null());
  CHECK(json.at("compared_with") == "num_gpu_blocks=40");
  CHECK(json.at("metrics").at(0).at("variants").at(0).at("mean").is_null());
}

TEST_CASE("an interruption keeps the seeds that are complete for every variant") {
  // Runs go seed by seed over the two variants: after five of them two seeds are whole.
  const VariantComparison comparison = compared(busy_server, {.vary = {"scheduler.watermark=0,0.2"}, .stop_after = 5});
  CHECK(comparison.interrupted);
  CHECK(comparison.complete_seeds == std::vector<std::uint64_t>{7, 8});
  CHECK(text_of(comparison).find("interrupted, of 4 seeds") != std::string::npos);
  const VariantComparison nothing = compared(busy_server, {.vary = {"scheduler.watermark=0,0.2"}, .stop_after = 0});
  CHECK(nothing.complete_seeds.empty());
  CHECK(nothing.rows.empty());
  CHECK(json_of(nothing).at("interrupted") == true);
}

TEST_CASE("other requests than the first's are noted, and equal ones are said to be so") {
  const VariantComparison other = compared(busy_server, {{"workload.num_requests=40,30"}});
  CHECK(other.request_notes.size() == 1);
  CHECK(json_of(other).at("same_requests") == false);
  const VariantComparison same = compared(busy_server, {{"scheduler.watermark=0,0.2"}});
  CHECK(text_of(same).find("each on the same requests") != std::string::npos);
}

TEST_CASE("where nothing is drawn it says that seeds make no difference") {
  const Options constant{{"scheduler.watermark=0,0.2"}, {"workload.input_tokens=8", "workload.output_tokens=20"}};
  const VariantComparison comparison = compared(busy_server, constant);
  CHECK(comparison.seeds_are_equal);
  CHECK(text_of(comparison).find("Every seed gave the same") != std::string::npos);
  CHECK(!compared(busy_server, {{"scheduler.watermark=0,0.2"}}).seeds_are_equal);
}

TEST_CASE("a limit is broken by a mean that is worse by more, in the direction of the metric") {
  Options options{{"scheduler.max_num_seqs=8,1"}};
  options.limits = {"output_throughput=5%", "preemptions=0%"};
  const VariantComparison slower = compared(busy_server, options);
  REQUIRE(slower.regressions.size() == 1);
  CHECK(slower.regressions[0].limit.metric->name == "output_throughput");
  CHECK(slower.regressions[0].variant == "max_num_seqs=1");
  const PairedDifference& difference = row_of(slower, "output_throughput").standings[1].difference;
  CHECK(slower.regressions[0].worse == Approx(-difference.relative(difference.mean)));

  // From no preemption to some is worse by more than any share.
  options.vary = {"scheduler.max_num_seqs=1,8"};
  const VariantComparison evicting = compared(busy_server, options);
  REQUIRE(evicting.regressions.size() == 1);
  CHECK(std::isinf(evicting.regressions[0].worse));

  options.limits = {"output_throughput=100%"};
  CHECK(compared(busy_server, options).regressions.empty());
}

TEST_CASE("what cannot be compared breaks its limit, so that no check passes unseen") {
  // Without an SLO there is no goodput.
  CHECK(compared(busy_server, {.vary = {"scheduler.watermark=0,0.2"}, .limits = {"request_goodput=5%"}})
            .regressions.size() == 1);
  const VariantComparison broken =
      compared(busy_server, {.vary = {"memory.num_gpu_blocks=40,0"}, .limits = {"output_throughput=5%"}});
  REQUIRE(broken.regressions.size() == 1);
  CHECK(broken.regressions[0].why.find("cannot run") != std::string::npos);
}

TEST_CASE("a limit names a metric that has a better direction, and a percentage") {
  CHECK(parse_regression_limit("p99_ttft_ms=5%").share == Approx(0.05));
  CHECK(parse_regression_limit("p99_ttft_ms=2.5 %").share == Approx(0.025));
  for (const char* wrong : {"", "p99_ttft_ms", "p99_ttft_ms=", "p99_ttft_ms=5", "p99_ttft_ms=-1%", "p99_ttft=5%",
                            "kv_usage_mean=5%", "p99_ttft_ms=x%"}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(parse_regression_limit(wrong), std::invalid_argument);
  }
}

TEST_CASE("no table is wider than a page, however many variants there are and whatever they are called") {
  const VariantComparison comparison = compared(
      busy_server, {{"scheduler.max_num_seqs=1,2,3,4,5,6,7,8", "scheduler.never_fits=reject,{fail_after: 1000000}"}});
  std::istringstream lines(text_of(comparison).substr(text_of(comparison).find("\n\n")));
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count) CHECK(line.size() <= 130);
  CHECK(count > 100);
}
