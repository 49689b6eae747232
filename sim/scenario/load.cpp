#include "sim/scenario/load.hpp"

#include <utility>

#include "sim/core/nearest_name.hpp"
#include "sim/scenario/cross_checks.hpp"
#include "sim/scenario/layers.hpp"
#include "sim/scenario/read_scenario.hpp"
#include "sim/scenario/sweep_block.hpp"

namespace decodesim {

namespace fs = std::filesystem;

namespace {

std::vector<Scenario> load(SourceText source, std::span<const std::string> sets, std::vector<Diagnostic>& warnings,
                           Shortage shortage = Shortage::refused) {
  Reading reading(find_catalog(), shortage);
  const std::string file_name = source.name;
  std::vector<Scenario> scenarios;
  if (std::optional<LayeredFile> file = read_layers(reading, std::move(source))) {
    (void)read_sweep_block(reading, file->sweep ? &*file->sweep : nullptr, {}, {});
    for (const CaseTree& one : case_trees(reading, *file, sets)) {
      const std::size_t before = reading.errors();
      scenarios.push_back(read_scenario(reading, one.tree, file_name, one.name));
      if (reading.errors() == before) check_across(reading, one.tree, scenarios.back());
      scenarios.back().files = reading.files();
    }
  }
  if (reading.errors() > 0) throw ScenarioError(reading.diagnostics());
  for (Diagnostic& warning : reading.diagnostics()) warnings.push_back(std::move(warning));
  return scenarios;
}

// "; did you mean the scenario 'context-gap'?" for a bare name that is near one of the catalog's.
std::string scenario_meant(const std::string& name) {
  const Catalog catalog = find_catalog();
  const bool bare = name.find_first_of("/.") == std::string::npos;
  if (const std::string objection = catalog.objection("scenarios"); bare && !objection.empty()) return "; " + objection;
  const std::vector<std::string> names = catalog.names("scenarios");
  const auto near = nearest_name(name, std::vector<std::string_view>(names.begin(), names.end()));
  return near ? "; did you mean the scenario '" + std::string(*near) + "'?" : "";
}

}  // namespace

SourceText readable_source(const fs::path& file) {
  std::string why;
  std::optional<std::string> text = read_file(file, why);
  if (!text) throw UnreadableFile("cannot read " + file.string() + ": " + why + scenario_meant(file.string()));
  return {file.string(), file.parent_path(), std::move(*text)};
}

std::vector<Scenario> load_scenarios(const fs::path& file, std::span<const std::string> sets,
                                     std::vector<Diagnostic>& warnings, Shortage shortage) {
  std::vector<Scenario> scenarios = load(readable_source(file), sets, warnings, shortage);
  for (Scenario& scenario : scenarios) scenario.files.push_back(file.string());
  return scenarios;
}

std::vector<Scenario> load_scenarios_text(const std::string& text, const std::string& name, const fs::path& folder,
                                          std::span<const std::string> sets, std::vector<Diagnostic>& warnings) {
  return load({name, folder, text}, sets, warnings);
}

}  // namespace decodesim
