#include "sim/study/point_variant.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

#include "sim/core/quantity_text.hpp"
#include "sim/scenario/catalog.hpp"
#include "sim/scenario/load.hpp"
#include "sim/study/engine_presets.hpp"

namespace decodesim {

namespace {

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (char c : text) result += c == '\'' ? "''" : std::string(1, c);
  return result + "'";
}

/// The user's base as diagnostics call it; empty where there is none.
std::string base_file(const PointBases& bases) {
  return bases.base.empty() ? "" : std::filesystem::absolute(scenario_file(bases.base)).lexically_normal().string();
}

std::string base_text(const MeasuredPoint& point, const PointSetup& setup, const PointBases& bases) {
  std::string list;
  const auto add = [&](const std::string& file) { list += (list.empty() ? "" : ", ") + quoted(file); };
  if (!point.engine.empty()) add(engine_preset_file(find_catalog(), point.engine).string());
  for (const std::string& file : setup.bases) add(file);
  if (!bases.base.empty()) add(base_file(bases));
  return "version: 1\nname: measured\nbase: [" + list + "]\n";
}

/// A length of the row, or the uniform one that its set-up makes of it.
std::string length(std::int64_t tokens, const PointSetup& setup) {
  const auto shortest = static_cast<std::int64_t>(std::floor(static_cast<double>(tokens) * setup.shortest));
  if (shortest >= tokens) return std::to_string(tokens);
  return "{distribution: uniform, min: " + std::to_string(std::max<std::int64_t>(shortest, 1)) +
         ", max: " + std::to_string(tokens) + "}";
}

/// How many requests the run had; ten rounds where nothing says it, as the public benchmarks do.
std::int64_t requests_of(const MeasuredPoint& point, const PointSetup& setup) {
  constexpr std::int64_t usual_rounds = 10;
  if (point.num_requests > 0) return point.num_requests;
  if (point.load == LoadKind::closed_loop && setup.rounds > 0) return setup.rounds * point.concurrency;
  if (setup.num_requests > 0) return setup.num_requests;
  return point.load == LoadKind::closed_loop ? usual_rounds * point.concurrency : 0;
}

/// What the row states, laid over all bases.
std::vector<std::string> sets_of(const MeasuredPoint& point, const PointSetup& setup) {
  std::vector<std::string> sets = setup.sets;
  const auto add = [&](const std::string& path, const std::string& value) {
    if (!value.empty()) sets.push_back(path + "=" + value);
  };
  const auto add_count = [&](const std::string& path, std::int64_t count) {
    if (count > 0) add(path, std::to_string(count));
  };
  add("model", point.model);
  if (!point.node.empty() || !point.gpu.empty()) {
    add("hardware.node", point.node);
    add("hardware.gpu", point.gpu);
    add_count("hardware.gpus", std::max<std::int64_t>(point.tp, 1));
  }
  add_count("parallel.tp", point.tp);
  add("precision.weights", point.weights);
  add("precision.kv_cache", point.kv_cache);
  if (!point.engine.empty()) add("scheduler.engine", engine_of_preset(find_catalog(), point.engine));
  const bool limited_to_clients = setup.clients_are_max_num_seqs && point.load == LoadKind::closed_loop;
  if (limited_to_clients) add_count("scheduler.max_num_seqs", point.concurrency);
  add_count("scheduler.max_num_seqs", point.max_num_seqs);
  add_count("scheduler.max_num_batched_tokens", point.max_num_batched_tokens);
  add("workload", "null");
  add_count("workload.num_requests", requests_of(point, setup));
  if (point.load == LoadKind::closed_loop) add_count("workload.max_concurrency", point.concurrency);
  if (point.load == LoadKind::all_at_once) add("workload.arrival", "{process: all_at_once}");
  if (point.load == LoadKind::poisson) {
    const std::string rate = value_text(Kind::request_rate, Value(point.request_rate));
    add("workload.arrival", "{process: poisson, request_rate: " + rate + "}");
  }
  add("workload.input_tokens", length(point.input_tokens, setup));
  add("workload.output_tokens", length(point.output_tokens, setup));
  return sets;
}

std::string first_error(const ScenarioError& error) {
  for (const Diagnostic& one : error.diagnostics()) {
    if (one.severity == Severity::error) return one.message;
  }
  return "it does not load";
}

/// Those of the mistakes that stand in the user's base or in the user's sets, which come after `own_sets` others and are
/// called by the user's count.
void take_mistakes_of_user(const ScenarioError& error, const std::string& base, std::size_t own_sets,
                           std::size_t user_sets, std::vector<Diagnostic>& mistakes) {
  for (Diagnostic one : error.diagnostics()) {
    bool users = !base.empty() && one.file == base;
    for (std::size_t i = 1; i <= user_sets && !users; ++i) {
      if (one.file != "--set[" + std::to_string(own_sets + i) + "]") continue;
      one.file = "--set[" + std::to_string(i) + "]";
      users = true;
    }
    if (users && std::find(mistakes.begin(), mistakes.end(), one) == mistakes.end()) mistakes.push_back(one);
  }
}

Variant variant_of(const MeasuredPoint& point, const PointSetup& setup, const PointBases& bases,
                   std::vector<Diagnostic>& mistakes) {
  Variant variant;
  variant.name = point_name(point);
  variant.file = point.file;
  if (point.engine.empty() && setup.bases.empty() && bases.base.empty()) {
    variant.objection = "nothing says which engine served it: no column, no set-up, no --base";
    return variant;
  }
  variant.sets = sets_of(point, setup);
  const std::size_t own_sets = variant.sets.size();
  variant.sets.insert(variant.sets.end(), bases.sets.begin(), bases.sets.end());
  std::vector<Diagnostic> warnings;
  try {
    std::vector<Scenario> scenarios =
        load_scenarios_text(base_text(point, setup, bases), point_name(point), {}, variant.sets, warnings);
    if (scenarios.size() == 1) {
      variant.scenario = std::move(scenarios.front());
    } else {
      variant.objection = "its base has cases, and a measurement is of one";
    }
  } catch (const ScenarioError& error) {
    variant.objection = first_error(error);
    take_mistakes_of_user(error, base_file(bases), own_sets, bases.sets.size(), mistakes);
  }
  return variant;
}

}  // namespace

std::vector<Variant> point_variants(std::span<const MeasuredPoint> points, std::span<const PointSetup> setups,
                                    const PointBases& bases) {
  std::vector<Variant> variants;
  std::vector<Diagnostic> mistakes;
  for (std::size_t i = 0; i < points.size(); ++i) variants.push_back(variant_of(points[i], setups[i], bases, mistakes));
  const bool loaded =
      std::any_of(variants.begin(), variants.end(), [](const Variant& one) { return one.scenario.has_value(); });
  if (!loaded && !mistakes.empty()) throw ScenarioError(mistakes);
  return variants;
}

}  // namespace decodesim
