#include "sim/study/fitted_field.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "sim/core/quantity_text.hpp"
#include "sim/core/statistics.hpp"
#include "sim/core/suggest.hpp"
#include "sim/scenario/scenario_fields.hpp"

namespace decodesim {

namespace {

/// Whether values of a kind are numbers that can change by a little.
bool is_smooth(Kind kind) {
  switch (kind) {
    case Kind::bytes:
    case Kind::bandwidth:
    case Kind::flop_rate:
    case Kind::duration:
    case Kind::latency:
    case Kind::fraction:
    case Kind::number:
      return true;
    default:
      return false;
  }
}

/// The keys of a path, from the top: "cost.host_time" is cost, host_time.
std::vector<std::string_view> keys_of(std::string_view path) {
  std::vector<std::string_view> keys;
  for (std::size_t start = 0; start <= path.size();) {
    const std::size_t end = std::min(path.find('.', start), path.size());
    keys.push_back(path.substr(start, end - start));
    start = end + 1;
  }
  return keys;
}

const Field* find(FieldTable fields, std::string_view key) {
  const Field* found = std::find_if(fields.begin(), fields.end(), [&](const Field& one) { return one.key == key; });
  return found == fields.end() ? nullptr : found;
}

/// One key of a path: its field, and the Spec that the field is of.
struct Level {
  std::string path;
  const Field* field;
  void* spec;
};

std::vector<Level> levels_of(const std::string& path, const Scenario& scenario) {
  std::vector<Level> levels;
  // Tables look into Specs through plain pointers; nothing is written here.
  void* spec = const_cast<Scenario*>(&scenario);
  FieldTable fields = scenario_fields;
  for (std::string_view key : keys_of(path)) {
    const std::string above = levels.empty() ? "" : levels.back().path + ".";
    levels.push_back({above + std::string(key), find(fields, key), spec});
    const RecordField* record = levels.back().field->record();
    if (record == nullptr) break;
    spec = record->inside(spec);
    fields = record->fields;
  }
  return levels;
}

}  // namespace

double FittedField::value_in(const Scenario& scenario) const {
  const std::vector<Level> levels = levels_of(path, scenario);
  const Value value = field->scalar()->get(levels.back().spec);
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  return not_measured;
}

std::vector<std::pair<std::string, std::string>> FittedField::entries_above(const Scenario& scenario) const {
  std::vector<std::pair<std::string, std::string>> entries;
  const std::vector<Level> levels = levels_of(path, scenario);
  for (std::size_t i = 0; i + 1 < levels.size(); ++i) {
    const RecordField& record = *levels[i].field->record();
    const Field* name = find(record.fields, "name");
    if (!record.name_alone || name == nullptr) continue;
    // An entry that a scenario changed is called after the one that it started from.
    constexpr std::string_view changed = "like ";
    std::string entry = std::get<std::string>(name->scalar()->get(levels[i + 1].spec));
    if (entry.starts_with(changed)) entry.erase(0, changed.size());
    entries.emplace_back(levels[i].path + "." + std::string(record.like), std::move(entry));
  }
  return entries;
}

std::string FittedField::text(double value) const {
  if (kind() == Kind::duration) return value_text(kind(), Value(static_cast<std::int64_t>(std::llround(value))));
  return value_text(kind(), Value(kind() == Kind::bytes ? std::round(value) : value));
}

double FittedField::rounded(double value) const {
  constexpr double least = 1e5;  // six digits
  constexpr double most = 1e6;
  if (!(value > 0)) return value;
  double scale = 1;  // a power of ten, exact in a double as long as it is no larger than 1e22
  while (value / scale >= most && scale < 1e22) scale *= 10;
  if (scale > 1) return std::round(value / scale) * scale;
  while (value * scale < least && scale < 1e22) scale *= 10;
  return std::round(value * scale) / scale;
}

FittedField find_fitted_field(std::string_view path) {
  FieldTable fields = scenario_fields;
  const Field* field = nullptr;
  std::string above;
  for (std::string_view key : keys_of(path)) {
    field = find(fields, key);
    if (field == nullptr) {
      std::vector<std::string_view> names;
      for (const Field& one : fields) names.push_back(one.key);
      throw std::invalid_argument("there is no '" + above + std::string(key) + "'; " + suggestion(key, names));
    }
    above += std::string(key) + ".";
    fields = field->record() != nullptr ? field->record()->fields : FieldTable();
  }
  if (field == nullptr || field->scalar() == nullptr || !is_smooth(field->scalar()->kind)) {
    throw std::invalid_argument(
        "'" + std::string(path) +
        "' cannot be fitted: only times, rates, shares, amounts of memory and plain numbers can");
  }
  return {std::string(path), field};
}

}  // namespace decodesim
