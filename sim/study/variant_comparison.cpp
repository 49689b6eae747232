#include "sim/study/variant_comparison.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "sim/core/quantity_text.hpp"
#include "sim/core/suggest.hpp"
#include "sim/report/number_text.hpp"
#include "sim/scenario/load.hpp"
#include "sim/workload/traces/trace.hpp"

namespace decodesim {

namespace {

/// Seeds, counted from 0, that every variant that can run was played on.
std::vector<std::size_t> complete_seeds(const VariantComparison& comparison) {
  std::vector<std::size_t> complete;
  for (std::size_t seed = 0; seed < static_cast<std::size_t>(comparison.seeds); ++seed) {
    const bool all = std::all_of(comparison.played.begin(), comparison.played.end(), [&](const PlayedSeeds& one) {
      return !one.objection.empty() || !one.seeds[seed].empty();
    });
    if (all && comparison.first) complete.push_back(seed);
  }
  return complete;
}

/// True where a variant's metrics are the same on all those seeds.
bool equal_on(const PlayedSeeds& played, std::span<const std::size_t> seeds) {
  const auto same = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
  return std::all_of(seeds.begin(), seeds.end(), [&](std::size_t seed) {
    const std::vector<double>& one = played.seeds[seed];
    const std::vector<double>& first = played.seeds[seeds.front()];
    return std::equal(one.begin(), one.end(), first.begin(), first.end(), same);
  });
}

/// A metric of a variant on those seeds.
std::vector<double> values_of(const PlayedSeeds& played, std::span<const std::size_t> seeds, std::size_t metric) {
  std::vector<double> values;
  for (std::size_t seed : seeds) values.push_back(played.seeds[seed][metric]);
  return values;
}

Standing standing_of(std::vector<double> values) {
  std::erase_if(values, [](double value) { return std::isnan(value); });
  Standing standing;
  const auto n = static_cast<double>(values.size());
  standing.mean = mean(values);
  if (values.size() > 1) standing.std = standard_deviation(values) * std::sqrt(n / (n - 1));
  return standing;
}

void mark_best(MetricRow& row) {
  if (row.metric->better == Better::neither) return;
  const double sign = row.metric->better == Better::higher ? 1 : -1;
  double best = -std::numeric_limits<double>::infinity();
  double worst = std::numeric_limits<double>::infinity();
  for (const Standing& one : row.standings) {
    if (std::isnan(one.mean)) continue;
    best = std::max(best, sign * one.mean);
    worst = std::min(worst, sign * one.mean);
  }
  if (!(best > worst)) return;
  for (Standing& one : row.standings) one.best = sign * one.mean == best;
}

MetricRow row_of(const VariantComparison& comparison, std::span<const std::size_t> seeds, std::size_t metric) {
  MetricRow row;
  row.metric = &metric_table()[metric];
  const std::size_t first = *comparison.first;
  for (std::size_t v = 0; v < comparison.variants.size(); ++v) {
    const PlayedSeeds& played = comparison.played[v];
    if (!played.objection.empty()) {
      row.standings.emplace_back();
      continue;
    }
    const std::vector<double> values = values_of(played, seeds, metric);
    row.standings.push_back(standing_of(values));
    if (v == first) continue;
    row.standings.back().difference = paired_difference(values_of(comparison.played[first], seeds, metric), values);
  }
  mark_best(row);
  return row;
}

/// Notes whose requests differ from the first's; a variant whose trace cannot be read cannot run.
void compare_requests(VariantComparison& comparison) {
  const Variant* first = nullptr;
  for (Variant& variant : comparison.variants) {
    if (!variant.scenario || !variant.objection.empty()) continue;
    if (first == nullptr) {
      first = &variant;
      continue;
    }
    try {
      const std::string difference = difference_of_requests(*first->scenario, *variant.scenario, comparison.first_seed);
      if (!difference.empty())
        comparison.request_notes.push_back("the workload of " + variant.name + " is not that of " + first->name +
                                           ": it " + difference);
    } catch (const TraceError&) {
      // Playing it will say so, of the variant that it concerns.
      continue;
    }
  }
}

/// By how much of the first's mean a variant is worse; negative where it is better.
double worse_by(const Metric& metric, const PairedDifference& difference) {
  const double worse = metric.better == Better::higher ? -difference.mean : difference.mean;
  if (difference.first_mean != 0) return worse / std::fabs(difference.first_mean);
  return worse > 0 ? std::numeric_limits<double>::infinity() : worse;
}

void check_limit(VariantComparison& comparison, const RegressionLimit& limit) {
  const std::string metric(limit.metric->name);
  for (std::size_t v = 0; v < comparison.variants.size(); ++v) {
    const std::string& name = comparison.variants[v].name;
    const auto add = [&](double worse, const std::string& why) {
      comparison.regressions.push_back({limit, name, worse, why});
    };
    if (!comparison.played[v].objection.empty()) {
      add(not_measured, name + " cannot run");
      continue;
    }
    if (v == 0 || comparison.complete_seeds.empty()) continue;
    const auto row = std::find_if(comparison.rows.begin(), comparison.rows.end(),
                                  [&](const MetricRow& one) { return one.metric == limit.metric; });
    const PairedDifference& difference = row->standings[v].difference;
    if (comparison.first != std::size_t{0} || difference.pairs == 0) {
      add(not_measured, metric + " of " + name + " cannot be compared with " + comparison.variants.front().name);
      continue;
    }
    const double worse = worse_by(*limit.metric, difference);
    if (!(worse > limit.share)) continue;
    const std::string amount = std::isinf(worse) ? "worse than zero" : "worse by " + percent(worse);
    add(worse, metric + " of " + name + " is " + amount + (difference.within_noise() ? ", which is within noise" : ""));
  }
}

}  // namespace

RegressionLimit parse_regression_limit(const std::string& text) {
  const std::size_t equals = text.find('=');
  const std::string name = text.substr(0, equals);
  RegressionLimit limit;
  limit.metric = find_metric(name);
  std::vector<std::string_view> names;
  for (const Metric& metric : metric_table()) {
    if (metric.better != Better::neither) names.push_back(metric.name);
  }
  if (limit.metric == nullptr || limit.metric->better == Better::neither) {
    const std::string what = limit.metric == nullptr ? "there is no metric '" : "neither more nor less is better in '";
    throw std::invalid_argument(what + name + "'; " + suggestion(name, names));
  }
  const std::string share = equals == std::string::npos ? "" : text.substr(equals + 1);
  const ParsedValue parsed = parse_value(Kind::fraction, share);
  if (!share.ends_with('%') || !parsed.ok())
    throw std::invalid_argument("'" + text + "' needs a percentage, as in " + name + "=5%");
  limit.share = std::get<double>(parsed.value);
  return limit;
}

VariantComparison compare_variants(std::vector<Variant> variants, const StudySpec& study,
                                   std::span<const RegressionLimit> limits, const std::atomic<bool>& stop,
                                   const std::function<void(std::int64_t done, std::int64_t all)>& told) {
  VariantComparison comparison;
  comparison.version = study.version;
  comparison.variants = std::move(variants);
  comparison.first_seed = study.first_seed;
  comparison.seeds = study.seeds;
  compare_requests(comparison);
  comparison.played = play_seeds(comparison.variants, study, stop, told);
  comparison.interrupted = stop.load(std::memory_order_relaxed);
  for (std::size_t v = 0; v < comparison.variants.size(); ++v) {
    std::optional<Scenario>& scenario = comparison.variants[v].scenario;
    if (scenario) scenario->run.seed = study.first_seed;
    comparison.hashes.push_back(scenario ? scenario_hash(*scenario) : "");
    if (!comparison.first && comparison.played[v].objection.empty()) comparison.first = v;
  }
  const std::vector<std::size_t> seeds = complete_seeds(comparison);
  for (std::size_t seed : seeds) comparison.complete_seeds.push_back(study.first_seed + seed);
  comparison.seeds_are_equal =
      seeds.size() > 1 && std::all_of(comparison.played.begin(), comparison.played.end(), [&](const PlayedSeeds& one) {
        return !one.objection.empty() || equal_on(one, seeds);
      });
  if (!seeds.empty()) {
    for (std::size_t metric = 0; metric < metric_table().size(); ++metric)
      comparison.rows.push_back(row_of(comparison, seeds, metric));
  }
  for (const RegressionLimit& limit : limits) check_limit(comparison, limit);
  return comparison;
}

}  // namespace decodesim
