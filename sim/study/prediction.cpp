#include "sim/study/prediction.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <vector>

#include "sim/scenario/pool.hpp"
#include "sim/study/metric.hpp"

namespace decodesim {

namespace {

std::size_t place_of(std::string_view name) {
  const auto table = metric_table();
  return static_cast<std::size_t>(
      std::find_if(table.begin(), table.end(), [&](const Metric& one) { return one.name == name; }) - table.begin());
}

}  // namespace

double predicted(std::span<const double> metrics, MeasuredMetric metric) {
  constexpr std::string_view names[] = {"mean_ttft_ms", "mean_tpot_ms", "output_throughput"};
  return metrics[place_of(names[static_cast<std::size_t>(metric)])];
}

std::string objection_to(const MeasuredPoint& point, const Variant& variant, const PlayedSeeds& played) {
  if (!variant.scenario) return variant.objection;
  const std::int64_t limit = model_len_limit(*variant.scenario);
  if (point.input_tokens + point.output_tokens > limit) {
    return "requests of " + std::to_string(point.input_tokens) + " + " + std::to_string(point.output_tokens) +
           " tokens would be cut at max_model_len, " + std::to_string(limit);
  }
  if (!played.objection.empty()) return played.objection;
  if (played.seeds.empty() || played.seeds.front().empty()) return "interrupted";
  const std::vector<double>& metrics = played.seeds.front();
  const auto completed = static_cast<std::int64_t>(metrics[place_of("completed")]);
  const std::int64_t asked = variant.scenario->workload.num_requests;
  if (completed < asked)
    return std::to_string(asked - completed) + " of " + std::to_string(asked) + " requests were turned away";
  for (const MeasuredValue& value : point.values) {
    if (!std::isfinite(predicted(metrics, value.metric)))
      return "the run has no " + std::string(measured_metric_name(value.metric));
  }
  return {};
}

}  // namespace decodesim
