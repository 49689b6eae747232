#include "sim/study/calibration.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/core/random.hpp"
#include "sim/scenario/load.hpp"
#include "tests/study/measured_files.hpp"
#include "tests/study/study_files.hpp"

namespace decodesim::tests {

namespace {

const std::atomic<bool> never{false};

const char* const server =
    "version: 1\n"
    "model: llama-3.1-8b\n"
    "hardware: {node: hgx-h100, gpus: 1}\n"
    "scheduler: {engine: vllm-v1, async: false, max_num_seqs: 64}\n"
    "cost: {model: roofline}\n";

const char* const loads =
    "isl,osl,concurrency,num_requests,ttft_ms,tpot_ms\n"
    "200,100,1,10,1,1\n"
    "200,100,8,40,1,1\n"
    "2000,100,8,40,1,1\n"
    "200,50,32,128,1,1\n"
    "8000,50,16,64,1,1\n"
    "8000,400,24,48,1,1\n";

StudySpec study() {
  StudySpec spec;
  spec.jobs = 2;
  return spec;
}

/// What the simulator measures under these sets.
std::vector<MeasuredPoint> measured(const std::string& base, const std::vector<std::string>& sets) {
  std::vector<MeasuredPoint> points = points_of(loads);
  const Validation truth = validate(points, {}, {base, sets}, study(), never, {});
  REQUIRE(truth.refused.empty());
  for (const ValidatedRow& row : truth.rows) {
    for (MeasuredValue& value : points[row.point].values) {
      if (value.metric == row.measured.metric) value.value = row.predicted;
    }
  }
  return points;
}

Calibration calibrated(const std::vector<MeasuredPoint>& points, const std::string& base,
                       const std::vector<std::string>& paths) {
  std::vector<FittedField> fields;
  for (const std::string& path : paths) fields.push_back(find_fitted_field(path));
  const Setups none;
  return calibrate({points, none, {base, {}}, fields, study()}, never, {});
}

}  // namespace

TEST_CASE("constants that measurements were made with are found again within 1 %") {
  const StudyFile base(server);
  const auto points = measured(base.path(), {"cost.host_time=4.7 ms", "hardware.gpu.hbm_bandwidth=2.31 TB/s"});
  const Calibration fit = calibrated(points, base.path(), {"cost.host_time", "hardware.gpu.hbm_bandwidth"});
  CHECK(fit.converged);
  REQUIRE(fit.constants.size() == 2);
  CHECK(fit.constants[0].start == 3e6);
  CHECK(fit.constants[0].value == doctest::Approx(4.7e6).epsilon(0.01));
  CHECK(fit.constants[1].value == doctest::Approx(2.31e12).epsilon(0.01));
  for (const CalibratedRow& row : fit.rows) CHECK(std::fabs(row.error_after()) < 0.01);
  CHECK(fit.rows.size() == 12);
}

TEST_CASE("noise shifts constants within the interval that is stated") {
  const StudyFile base(server);
  const auto truth = measured(base.path(), {"cost.host_time=4.7 ms", "hardware.gpu.hbm_bandwidth=2.31 TB/s"});
  int inside = 0;
  for (std::uint64_t draw = 0; draw < 10; ++draw) {
    Stream noise(draw, "noise");
    std::vector<MeasuredPoint> points = truth;
    for (MeasuredPoint& point : points) {
      for (MeasuredValue& value : point.values) value.value *= 0.94 + 0.12 * noise.unit();  // +- 6 %
    }
    const Calibration fit = calibrated(points, base.path(), {"cost.host_time", "hardware.gpu.hbm_bandwidth"});
    const double truths[] = {4.7e6, 2.31e12};
    for (std::size_t i = 0; i < 2; ++i) {
      REQUIRE(fit.constants[i].constraint == Constraint::constrained);
      CHECK(fit.constants[i].half_width > 0);
      CHECK(fit.constants[i].half_width < 0.5);
      if (std::fabs(std::log(fit.constants[i].value / truths[i])) <= fit.constants[i].half_width) ++inside;
    }
  }
  // 19 of 20 are expected; fewer than 17 would come in one of sixty such tests.
  CHECK(inside >= 17);
}

TEST_CASE("a constant that no row constrains is named, and stays as it was") {
  const StudyFile base(server);
  const auto points = measured(base.path(), {"cost.host_time=4.7 ms"});
  const Calibration fit = calibrated(points, base.path(), {"hardware.gpu.link.latency", "cost.host_time"});
  CHECK(fit.constants[0].constraint == Constraint::free);  // one GPU has no link to wait for
  CHECK(fit.constants[0].value == fit.constants[0].start);
  CHECK(fit.constants[1].value == doctest::Approx(4.7e6).epsilon(0.01));
  std::ostringstream text;
  write_text(fit, text);
  CHECK(text.str().find("hardware.gpu.link.latency is not constrained by any row") != std::string::npos);
}

TEST_CASE("shares say which rows tell a constant: host time is told by steps that take little else") {
  const StudyFile base(server);
  const auto points = measured(base.path(), {"cost.host_time=4.7 ms"});
  const Calibration fit = calibrated(points, base.path(), {"cost.host_time"});
  double all = 0;
  for (std::size_t row = 0; row < fit.rows.size(); ++row) all += fit.share(row, 0);
  CHECK(all == doctest::Approx(1));
  const std::vector<std::size_t> order = fit.rows_by_share(0);
  CHECK(fit.share(order.front(), 0) >= fit.share(order.back(), 0));
  // The prompts of 16 x 8,000 tokens hide it, the lone client does not.
  CHECK(fit.points[fit.rows[order.back()].point].input_tokens == 8000);
}

TEST_CASE("what is written is a base under which the rows come out as the calibration says") {
  const StudyFile base(server);
  const auto points = measured(base.path(), {"cost.host_time=4.7 ms", "hardware.gpu.hbm_bandwidth=2.31 TB/s"});
  const Calibration fit = calibrated(points, base.path(), {"hardware.gpu.hbm_bandwidth", "cost.host_time"});
  std::ostringstream text;
  write_base(fit, text);
  CHECK(text.str().find("like: h100-sxm") != std::string::npos);
  const StudyFile fitted(text.str());
  const StudyFile both("version: 1\nbase: [" + base.path() + ", " + fitted.path() + "]\n");
  const Validation again = validate(points, {}, {both.path(), {}}, study(), never, {});
  REQUIRE(again.rows.size() == fit.rows.size());
  for (std::size_t i = 0; i < fit.rows.size(); ++i) CHECK(again.rows[i].predicted == fit.rows[i].after);
}

TEST_CASE("a calibration that cannot begin says why") {
  const StudyFile base(server);
  const auto points = measured(base.path(), {});
  CHECK_THROWS_AS(find_fitted_field("cost.hot_time"), std::invalid_argument);
  CHECK_THROWS_AS(find_fitted_field("scheduler.max_num_seqs"), std::invalid_argument);
  CHECK_THROWS_AS(find_fitted_field("cost"), std::invalid_argument);
  CHECK_THROWS_AS(calibrated(points, base.path(), {"memory.host_link.bandwidth"}), std::invalid_argument);  // absent
  const StudyFile idle(std::string(server) + "memory: {runtime_overhead: 0 GB}\n");
  CHECK_THROWS_AS(calibrated(points, idle.path(), {"memory.runtime_overhead"}), std::invalid_argument);
  const StudyFile ideal("version: 1\nmodel: llama-3.1-8b\nhardware: {node: hgx-h100, gpus: 1}\ncost: {model: ideal}\n");
  CHECK_THROWS_AS(calibrated(points, ideal.path(), {}), std::invalid_argument);
  auto two_gpus = points;
  two_gpus[0].node = "hgx-h200";
  two_gpus[0].tp = 1;
  CHECK_THROWS_AS(calibrated(two_gpus, base.path(), {"hardware.gpu.hbm_bandwidth"}), std::invalid_argument);
  CHECK(default_fit("roofline").size() == 1);
}

TEST_CASE("fitted values are cut to six significant digits, whatever their unit") {
  const FittedField bandwidth = find_fitted_field("hardware.gpu.hbm_bandwidth");
  CHECK(bandwidth.text(bandwidth.rounded(2891004962560.3)) == "2891 GB/s");
  const FittedField share = find_fitted_field("memory.utilization");
  CHECK(share.text(share.rounded(0.0123456789)) == "0.0123457");
  const FittedField time = find_fitted_field("cost.host_time");
  CHECK(time.text(time.rounded(4700123.4)) == "4.70012 ms");
}

}  // namespace decodesim::tests
