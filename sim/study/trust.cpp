#include "sim/study/trust.hpp"

#include <algorithm>
#include <iterator>
#include <ostream>
#include <set>
#include <system_error>
#include <utility>

#include "sim/core/field_of.hpp"
#include "sim/model/cost_fields.hpp"
#include "sim/report/number_text.hpp"
#include "sim/scenario/catalog.hpp"
#include "sim/scenario/load.hpp"
#include "sim/study/mapping_file.hpp"
#include "sim/study/signed_percent.hpp"

namespace decodesim {

namespace {

constexpr double largest_error = 1e6;

constexpr Field trust_entry_fields[] = {
    field<&TrustEntry::gpu>("gpu", {.doc = "of the catalog", .need = Need::required}),
    field<&TrustEntry::engine>("engine", {.doc = "scheduler.engine", .need = Need::required}),
    field<&TrustEntry::cost>("cost", {.doc = "cost.model", .need = Need::required}),
    field<&TrustEntry::constants>("constants", {.doc = "of the engine, by a name of eight digits"}),
    field<&TrustEntry::served>("served", {.doc = "models and formats of weights that the rows ran"}),
    field<&TrustEntry::metric>("metric", {.doc = "what was measured", .need = Need::required}),
    field<&TrustEntry::rows>("rows", {.doc = "measured", .need = Need::required, .range = from_to(1, 1e9)}),
    field<&TrustEntry::median_error>("median_error", {.doc = "of the absolute relative errors",
                                                      .need = Need::required,
                                                      .kind = Kind::fraction,
                                                      .range = from_to(0, largest_error)}),
    field<&TrustEntry::p90_error>("p90_error", {.doc = "of the absolute relative errors",
                                                .need = Need::required,
                                                .kind = Kind::fraction,
                                                .range = from_to(0, largest_error)}),
    field<&TrustEntry::median_signed_error>("median_signed_error",
                                            {.doc = "predicted over measured less one", .need = Need::required}),
};
constexpr Field trust_fields[] = {
    field<&TrustTable::version>("version",
                                {.doc = "of this format: 1", .need = Need::required, .range = from_to(1, 1)}),
    list<&TrustTable::validated>("validated", trust_entry_fields, {.doc = "what was held against measurements"}),
};

std::string joined_names(const std::set<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

/// What ", " joins.
std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = std::min(text.find(", ", from), text.size());
    parts.push_back(text.substr(from, end - from));
    from = end + 2;
  }
  return parts;
}

}  // namespace

std::vector<TrustEntry> TrustTable::of(const std::string& gpu, const std::string& engine, const std::string& cost,
                                       const std::string& constants) const {
  std::vector<TrustEntry> found;
  std::copy_if(validated.begin(), validated.end(), std::back_inserter(found), [&](const TrustEntry& one) {
    return one.gpu == gpu && one.engine == engine && one.cost == cost && one.constants == constants;
  });
  return found;
}

std::string cost_constants(const Scenario& scenario) {
  if (scenario.cost.model != CostKind::calibrated) return {};
  return name_of_text(fields_text(efficiency_fields, &scenario.cost.efficiency, "")).substr(0, 8);
}

std::string served_in(const Scenario& scenario) {
  const std::string& name = scenario.model.name;
  const Precision format = scenario.precision.weights;
  const bool sixteen = format == Precision::bf16 || format == Precision::fp16;
  return (name.empty() ? "a model without a name" : name) + " in " +
         (sixteen ? "16 bits" : std::string(precision_names[static_cast<std::size_t>(format)]));
}

std::string trust_in(const Scenario& scenario, const TrustTable& table) {
  if (scenario.cost.model == CostKind::fixed) return {};
  const std::string cost(cost_kind_names[static_cast<std::size_t>(scenario.cost.model)]);
  const std::string& gpu = scenario.hardware.gpu.name;
  const std::string constants = cost_constants(scenario);
  const std::vector<TrustEntry> entries = table.of(gpu, scenario.scheduler.engine, cost, constants);
  const std::string where = (gpu.empty() ? "this GPU" : gpu) + " and " + scenario.scheduler.engine +
                            (constants.empty() ? "" : " with these constants");
  if (entries.empty()) return trust_text(entries) + " for " + where;
  std::set<std::string> served;
  for (const TrustEntry& entry : entries)
    for (std::string& one : parts_of(entry.served)) served.insert(std::move(one));
  if (served.empty()) return where + "; " + trust_text(entries);
  const std::string own = served_in(scenario);
  return where + ", held against " + joined_names(served) + "; " + trust_text(entries) +
         (served.contains(own) ? "" : "; none of it is " + own + ", whose errors are not known");
}

void write_trust(const Validation& validation, std::ostream& out) {
  out << "# How far predictions were from published measurements; written by `decodesim validate --trust`.\n"
         "version: 1\nvalidated:\n";
  for (const ErrorGroup& one : error_groups(validation, GroupBy::gpu_and_engine)) {
    out << "  - {gpu: " << one.of.gpu << ", engine: " << one.of.engine << ", cost: " << one.of.cost
        << (one.of.constants.empty() ? "" : ", constants: \"" + one.of.constants + "\"") << ", served: \""
        << joined_names(one.served) << "\", metric: " << measured_metric_name(one.metric) << ", rows: " << one.rows
        << ", median_error: " << fixed_text(one.median_error, 4) << ", p90_error: " << fixed_text(one.p90_error, 4)
        << ", median_signed_error: " << signed_percent(one.median_signed_error) << "}\n";
  }
}

TrustTable load_trust(const std::filesystem::path& file) {
  TrustTable table;
  read_mapping_file(file, trust_fields, &table, "a table of trust");
  return table;
}

TrustTable load_default_trust() {
  const std::filesystem::path root = find_catalog().root();
  std::error_code ignored;
  if (root.empty() || !std::filesystem::exists(root / "hardware" / "validation.yaml", ignored)) return {};
  return load_trust(root / "hardware" / "validation.yaml");
}

std::string trust_text(std::span<const TrustEntry> entries) {
  std::string text;
  for (const TrustEntry& one : entries) {
    text += (text.empty() ? "" : "; ") + one.metric + " median " + percent(one.median_error) + ", p90 " +
            percent(one.p90_error) + " over " + counted(one.rows, "row");
  }
  return text.empty() ? "not validated" : text;
}

}  // namespace decodesim
