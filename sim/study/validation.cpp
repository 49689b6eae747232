#include "sim/study/validation.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include "sim/model/cost_fields.hpp"
#include "sim/study/prediction.hpp"
#include "sim/study/relative_errors.hpp"
#include "sim/study/trust.hpp"

namespace decodesim {

namespace {

/// Tokens a second of a closed loop in which an average request of `tokens` takes TTFT + TPOT x (tokens - 1).
double loop_throughput(std::int64_t clients, double tokens, double ttft_ms, double tpot_ms) {
  return static_cast<double>(clients) * tokens * 1000 / (ttft_ms + tpot_ms * (tokens - 1));
}

const MeasuredValue* find(const MeasuredPoint& point, MeasuredMetric metric) {
  for (const MeasuredValue& value : point.values) {
    if (value.metric == metric) return &value;
  }
  return nullptr;
}

/// The rows of a point that was played.
void compare_point(Validation& validation, std::size_t index, const PointSetup& setup,
                   const std::vector<double>& metrics) {
  const MeasuredPoint& point = validation.points[index];
  for (const MeasuredValue& value : point.values) {
    ValidatedRow row;
    row.point = index;
    row.measured = value;
    row.predicted = predicted(metrics, value.metric);
    if (!setup.holds(value.metric)) row.why_not_held = setup.because;
    validation.rows.push_back(std::move(row));
  }
  const MeasuredValue* ttft = find(point, MeasuredMetric::ttft_ms);
  const MeasuredValue* tpot = find(point, MeasuredMetric::tpot_ms);
  if (!setup.derive_throughput || point.load != LoadKind::closed_loop || ttft == nullptr || tpot == nullptr ||
      find(point, MeasuredMetric::output_throughput) != nullptr)
    return;
  const double tokens = setup.mean_share() * static_cast<double>(point.output_tokens);
  const auto throughput = [&](double first, double other) {
    return loop_throughput(point.concurrency, tokens, first, other);
  };
  ValidatedRow row;
  row.point = index;
  row.measured = {MeasuredMetric::output_throughput, throughput(ttft->value, tpot->value), point.id, point.line};
  row.predicted = throughput(predicted(metrics, MeasuredMetric::ttft_ms), predicted(metrics, MeasuredMetric::tpot_ms));
  row.derived = true;
  // What follows from a number that does not count does not count either.
  if (!setup.holds(MeasuredMetric::ttft_ms) || !setup.holds(MeasuredMetric::tpot_ms)) row.why_not_held = setup.because;
  validation.rows.push_back(std::move(row));
}

PointDeployment deployment_of(const MeasuredPoint& point, const PointSetup& setup, const Variant& variant) {
  PointDeployment deployment;
  deployment.setup = setup.name;
  deployment.gpu = point.gpu;
  deployment.tp = point.tp;
  deployment.weak_evidence = setup.weak_evidence;
  if (!variant.scenario) return deployment;
  deployment.gpu = variant.scenario->hardware.gpu.name;
  deployment.engine = variant.scenario->scheduler.engine;
  deployment.cost = cost_kind_names[static_cast<std::size_t>(variant.scenario->cost.model)];
  deployment.constants = cost_constants(*variant.scenario);
  deployment.served = served_in(*variant.scenario);
  deployment.tp = variant.scenario->parallel.tp;
  return deployment;
}

bool same(const ErrorGroup& one, const ErrorGroup& other) {
  return one.of.setup == other.of.setup && one.of.gpu == other.of.gpu && one.of.engine == other.of.engine &&
         one.of.cost == other.of.cost && one.of.constants == other.of.constants && one.of.tp == other.of.tp &&
         one.metric == other.metric;
}

/// The groups in their order, but those that differ only in the number of GPUs together, from few to many.
std::vector<ErrorGroup> by_tp(const std::vector<ErrorGroup>& groups) {
  const auto first_of = [&](const ErrorGroup& group) {
    return std::find_if(groups.begin(), groups.end(), [&](ErrorGroup one) {
      one.of.tp = group.of.tp;
      return same(one, group);
    });
  };
  std::vector<ErrorGroup> sorted = groups;
  std::stable_sort(sorted.begin(), sorted.end(), [&](const ErrorGroup& one, const ErrorGroup& other) {
    return std::pair(first_of(one), one.of.tp) < std::pair(first_of(other), other.of.tp);
  });
  return sorted;
}

}  // namespace

std::int64_t Validation::rows_refused() const {
  std::int64_t count = 0;
  for (const RefusedPoint& one : refused) count += static_cast<std::int64_t>(points[one.point].values.size());
  return count;
}

std::int64_t Validation::rows_predicted() const {
  return std::count_if(rows.begin(), rows.end(), [](const ValidatedRow& row) { return !row.derived; });
}

std::int64_t Validation::rows_not_held() const {
  return std::count_if(rows.begin(), rows.end(), [](const ValidatedRow& row) { return !row.derived && !row.held(); });
}

Validation validate(std::vector<MeasuredPoint> points, const Setups& setups, const PointBases& bases,
                    const StudySpec& study, const std::atomic<bool>& stop,
                    const std::function<void(std::int64_t done, std::int64_t all)>& told) {
  Validation validation;
  validation.version = study.version;
  validation.points = std::move(points);
  std::vector<PointSetup> own_setups;
  for (const MeasuredPoint& point : validation.points) {
    own_setups.push_back(setup_of(setups, point));
    validation.rows_in += static_cast<std::int64_t>(point.values.size());
  }
  const std::vector<Variant> variants = point_variants(validation.points, own_setups, bases);
  for (std::size_t i = 0; i < variants.size(); ++i)
    validation.deployments.push_back(deployment_of(validation.points[i], own_setups[i], variants[i]));
  const std::vector<PlayedSeeds> played = play_seeds(variants, study, stop, told);
  validation.interrupted = stop.load(std::memory_order_relaxed);
  std::set<std::string> warnings;
  for (std::size_t i = 0; i < played.size(); ++i) {
    warnings.insert(played[i].warnings.begin(), played[i].warnings.end());
    const std::string objection = objection_to(validation.points[i], variants[i], played[i]);
    if (objection.empty()) {
      compare_point(validation, i, own_setups[i], played[i].seeds.front());
    } else {
      validation.refused.push_back({i, objection});
    }
  }
  validation.warnings.assign(warnings.begin(), warnings.end());
  return validation;
}

std::vector<ErrorGroup> error_groups(const Validation& validation, GroupBy by) {
  std::vector<ErrorGroup> groups;
  std::vector<std::vector<double>> errors;
  for (const ValidatedRow& row : validation.rows) {
    if (!row.held()) continue;
    ErrorGroup group;
    group.of = validation.deployments[row.point];
    if (by == GroupBy::gpu_and_engine && group.of.weak_evidence) continue;
    group.metric = row.measured.metric;
    if (by != GroupBy::deployment_and_tp) group.of.tp = 0;
    if (by == GroupBy::gpu_and_engine) group.of.setup.clear();
    const std::string served = std::exchange(group.of.served, {});
    const auto known =
        std::find_if(groups.begin(), groups.end(), [&](const ErrorGroup& one) { return same(one, group); });
    const auto place = static_cast<std::size_t>(known - groups.begin());
    if (known == groups.end()) {
      groups.push_back(std::move(group));
      errors.emplace_back();
    }
    errors[place].push_back(row.error());
    groups[place].served.insert(served);
  }
  for (std::size_t i = 0; i < groups.size(); ++i) {
    groups[i].rows = static_cast<std::int64_t>(errors[i].size());
    const RelativeErrors told = relative_errors(std::move(errors[i]));
    groups[i].median_error = told.median;
    groups[i].p90_error = told.p90;
    groups[i].median_signed_error = told.median_signed;
  }
  return by_tp(groups);
}

std::vector<const ValidatedRow*> worst_rows(const Validation& validation, std::size_t most) {
  std::vector<const ValidatedRow*> rows;
  for (const ValidatedRow& row : validation.rows) {
    if (row.held() && !row.derived) rows.push_back(&row);
  }
  std::stable_sort(rows.begin(), rows.end(), [](const ValidatedRow* one, const ValidatedRow* other) {
    return std::fabs(one->error()) > std::fabs(other->error());
  });
  rows.resize(std::min(rows.size(), most));
  return rows;
}

}  // namespace decodesim
