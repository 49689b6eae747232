#include "sim/study/sweep.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include "sim/report/slo_verdict.hpp"
#include "sim/study/played_scenario.hpp"
#include "sim/study/side_by_side.hpp"

namespace decodesim {

namespace {

double number(std::int64_t count) { return static_cast<double>(count); }

struct MeasuredMetric {
  SweepMetric metric;
  double (*of)(const Report& report, double gpus);
};

// The table of columns once, with what fills each.
constexpr std::array measured{
    MeasuredMetric{{"gpus", "", true}, [](const Report&, double gpus) { return gpus; }},
    MeasuredMetric{{"output_throughput", "tok/s"}, [](const Report& r, double) { return r.output_throughput; }},
    MeasuredMetric{{"output_throughput_per_gpu", "tok/s/GPU"},
                   [](const Report& r, double gpus) { return r.output_throughput / gpus; }},
    MeasuredMetric{{"request_throughput", ""}, [](const Report& r, double) { return r.request_throughput; }},
    MeasuredMetric{{"median_ttft_ms", "TTFT p50 ms"}, [](const Report& r, double) { return r.ttft.p50; }},
    MeasuredMetric{{"p99_ttft_ms", "TTFT p99 ms"}, [](const Report& r, double) { return r.ttft.p99; }},
    MeasuredMetric{{"median_tpot_ms", "TPOT p50 ms"}, [](const Report& r, double) { return r.tpot.p50; }},
    MeasuredMetric{{"p99_tpot_ms", "TPOT p99 ms"}, [](const Report& r, double) { return r.tpot.p99; }},
    MeasuredMetric{{"request_goodput", "goodput req/s"}, [](const Report& r, double) { return r.request_goodput; }},
    MeasuredMetric{{"requests_in", "", true}, [](const Report& r, double) { return number(r.requests_in); }},
    MeasuredMetric{{"completed", "completed", true}, [](const Report& r, double) { return number(r.completed); }},
    MeasuredMetric{{"rejected", "rejected", true}, [](const Report& r, double) { return number(r.rejected); }},
    MeasuredMetric{{"cancelled", "", true}, [](const Report& r, double) { return number(r.cancelled); }},
    MeasuredMetric{{"running_mean", ""}, [](const Report& r, double) { return r.steps.running_mean; }},
    MeasuredMetric{{"kv_usage_mean", ""}, [](const Report& r, double) { return r.kv.usage_mean; }},
    MeasuredMetric{{"preemptions", "", true},
                   [](const Report& r, double) { return number(r.evictions.run.account.preemptions); }},
};

constexpr auto columns = [] {
  std::array<SweepMetric, measured.size()> metrics;
  for (std::size_t i = 0; i < measured.size(); ++i) metrics[i] = measured[i].metric;
  return metrics;
}();

PointResult infeasible(const std::string& why) {
  PointResult result;
  result.status = PointStatus::infeasible;
  result.why = why;
  return result;
}

PointResult result_of(const Scenario& scenario, const Report& report) {
  PointResult result;
  result.status = PointStatus::done;
  // The GPUs that hold a slice of the model; others of the node serve nobody, and could serve another model.
  const double gpus = number(std::int64_t{scenario.parallel.tp} * scenario.parallel.pp);
  for (const MeasuredMetric& one : measured) result.metrics.push_back(one.of(report, gpus));
  result.batch_limit = report.limits.batch_limit;
  result.binding = report.limits.binding;
  if (slo_is_set(report)) result.slo_met = slo_met(report);
  result.warnings = report.warnings;
  result.deployment_warnings = report.header.warnings;
  result.oracles = report.header.oracles;
  return result;
}

}  // namespace

std::span<const SweepMetric> sweep_metrics() { return columns; }

bool Sweep::any(PointStatus status) const {
  return std::any_of(results.begin(), results.end(), [&](const PointResult& one) { return one.status == status; });
}

PointResult play_point(const SweepPoint& point, const std::string& version, const std::atomic<bool>& stop) {
  if (!point.objection.empty()) return infeasible(point.objection);
  try {
    const PlayedScenario played = play_scenario(point.scenario, version, stop);
    if (played.interrupted) return {};
    if (played.objection.empty()) return result_of(point.scenario, played.report);
    PointResult result;
    result.status = PointStatus::failed;
    result.why = played.objection;
    return result;
  } catch (const ScenarioError& error) {
    // Its memory can be planned, but no run plays such a deployment.
    return infeasible(error.diagnostics().front().message);
  }
}

Sweep listed(SweepPoints points, const std::string& version) {
  Sweep sweep;
  sweep.version = version;
  sweep.points = std::move(points);
  for (const SweepPoint& point : sweep.points.points)
    sweep.results.push_back(point.objection.empty() ? PointResult{} : infeasible(point.objection));
  return sweep;
}

Sweep run_sweep(SweepPoints points, const std::string& version, std::int64_t jobs, const std::atomic<bool>& stop,
                const std::function<void(std::int64_t done, std::int64_t all)>& told) {
  Sweep sweep = listed(std::move(points), version);
  // What is infeasible takes no time, and would make the rest look shorter than it is.
  std::vector<std::size_t> playable;
  for (std::size_t i = 0; i < sweep.results.size(); ++i) {
    if (sweep.results[i].status == PointStatus::not_played) playable.push_back(i);
  }
  std::mutex mutex;
  std::int64_t done = 0;
  side_by_side(playable.size(), jobs, [&](std::size_t index) {
    if (stop.load(std::memory_order_relaxed)) return;
    PointResult result = play_point(sweep.points.points[playable[index]], version, stop);
    const std::scoped_lock lock(mutex);
    sweep.results[playable[index]] = std::move(result);
    if (told) told(++done, static_cast<std::int64_t>(playable.size()));
  });
  sweep.interrupted = stop.load(std::memory_order_relaxed);
  return sweep;
}

}  // namespace decodesim
