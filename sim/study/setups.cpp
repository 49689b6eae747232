#include "sim/study/setups.hpp"

#include <algorithm>

#include "sim/study/mapping_file.hpp"
#include "sim/study/setups_fields.hpp"

namespace decodesim {

namespace fs = std::filesystem;

namespace {

bool fits(const SetupCondition& when, const MeasuredPoint& point) {
  return point.id.starts_with(when.id) && point.note.starts_with(when.note) &&
         (when.input_tokens == 0 || when.input_tokens == point.input_tokens) &&
         (when.output_tokens == 0 || when.output_tokens == point.output_tokens) &&
         (when.tp_below == 0 || point.tp < when.tp_below);
}

}  // namespace

std::string Setups::meaning(std::string_view column, const std::string& text) const {
  for (const NameMeaning& name : names) {
    if (name.column == column && name.text == text) return name.means;
  }
  return text;
}

bool PointSetup::holds(MeasuredMetric metric) const {
  return std::find(not_held.begin(), not_held.end(), measured_metric_name(metric)) == not_held.end();
}

PointSetup setup_of(const Setups& setups, const MeasuredPoint& point) {
  PointSetup joined;
  for (const Setup& setup : setups.setups) {
    if (!fits(setup.when, point)) continue;
    if (!setup.name.empty()) joined.name = setup.name;
    if (!setup.base.empty()) joined.bases.push_back(setup.base);
    for (const SetupText& set : setup.sets) joined.sets.push_back(set.text);
    joined.shortest = setup.shortest.value_or(joined.shortest);
    joined.num_requests = setup.num_requests.value_or(joined.num_requests);
    joined.rounds = setup.rounds.value_or(joined.rounds);
    joined.clients_are_max_num_seqs = setup.clients_are_max_num_seqs.value_or(joined.clients_are_max_num_seqs);
    joined.weak_evidence = setup.weak_evidence.value_or(joined.weak_evidence);
    joined.derive_throughput = setup.derive_throughput.value_or(joined.derive_throughput);
    for (const SetupText& metric : setup.not_held) joined.not_held.push_back(metric.text);
    if (!setup.because.empty()) joined.because = setup.because;
  }
  return joined;
}

Setups load_setups(const fs::path& file) {
  Setups setups;
  read_mapping_file(file, setups_fields, &setups, "a file of set-ups");
  for (Setup& setup : setups.setups) {
    if (!setup.base.empty()) setup.base = fs::absolute(setup.base).string();
  }
  return setups;
}

Setups load_default_setups() {
  const Catalog catalog = find_catalog();
  const fs::path file = catalog.root() / "scenarios" / "validation" / "setups.yaml";
  std::error_code ignored;
  if (catalog.root().empty() || !fs::exists(file, ignored)) return {};
  return load_setups(file);
}

}  // namespace decodesim
