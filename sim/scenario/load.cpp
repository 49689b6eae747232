#include "sim/scenario/load.hpp"

#include <algorithm>
#include <utility>

#include "sim/core/nearest_name.hpp"
#include "sim/scenario/batch_defaults.hpp"
#include "sim/scenario/cross_checks.hpp"
#include "sim/scenario/layers.hpp"
#include "sim/scenario/merge.hpp"
#include "sim/scenario/pool.hpp"
#include "sim/scenario/reading.hpp"
#include "sim/scenario/record_reader.hpp"
#include "sim/scenario/scenario_fields.hpp"

namespace decodesim {

namespace fs = std::filesystem;

namespace {

// Fills in what depends on other fields.
void complete(Scenario& scenario) {
  if (scenario.model.layers > 0 && scenario.model.name.empty()) scenario.model.name = "inline";
  NodeSpec& node = scenario.hardware;
  if (scenario.states("hardware")) {
    if (node.name.empty()) node.name = "inline";
    if (node.gpu.name.empty()) node.gpu.name = "inline";
    if (!scenario.states("hardware.links") && node.gpus > 1) {
      node.links.push_back({"gpu", "gpu", std::nullopt, std::nullopt});
    }
    const BatchDefaults batch = batch_defaults(node.gpu);
    SchedulerSpec& scheduler = scenario.scheduler;
    if (!scenario.states("scheduler.max_num_seqs")) scheduler.max_num_seqs = batch.max_num_seqs;
    if (!scenario.states("scheduler.max_num_batched_tokens")) {
      scheduler.max_num_batched_tokens = batch.max_num_batched_tokens;
    }
  }
  if (scenario.parallel.tp == 0) scenario.parallel.tp = std::max(1, node.gpus / scenario.parallel.pp);
  complete_overhead(scenario);
  for (std::size_t i = 0; i < scenario.workload.requests.size(); ++i) {
    Request& request = scenario.workload.requests[i];
    request.index = static_cast<std::int64_t>(i);
    if (request.max_tokens == 0) request.max_tokens = request.output_tokens;
  }
}

Scenario resolve(Reading& reading, const DocumentNode& tree, const std::string& file_name,
                 const std::string& case_name) {
  Scenario scenario;
  scenario.case_name = case_name;
  const std::size_t errors_before = reading.errors();
  RecordReader reader(reading, scenario_fields, scenario.stated);
  reader.read(tree, scenario_fields, &scenario, "", {"base", "cases"});
  std::sort(scenario.stated.begin(), scenario.stated.end());
  if (scenario.name.empty()) scenario.name = fs::path(file_name).stem().string();
  complete(scenario);
  if (reading.errors() == errors_before) check_across(reading, tree, scenario);
  return scenario;
}

std::vector<Scenario> load(SourceText source, std::span<const std::string> sets, std::vector<Diagnostic>& warnings,
                           Shortage shortage = Shortage::refused) {
  Reading reading(find_catalog(), shortage);
  const std::string file_name = source.name;
  std::vector<Scenario> scenarios;
  if (std::optional<LayeredFile> file = read_layers(reading, std::move(source))) {
    if (file->cases.empty()) file->cases.emplace_back("", DocumentNode{});
    for (auto& [case_name, overlay] : file->cases) {
      DocumentNode tree = merge({}, file->tree);
      tree.at = file->tree.at;
      if (overlay.shape == DocumentNode::Shape::map) {
        tree = merge(std::move(tree), std::move(overlay));
        tree.at = file->tree.at;
      }
      lay_sets(reading, tree, sets, file->layers);
      tree.at = file->tree.at;
      scenarios.push_back(resolve(reading, tree, file_name, case_name));
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

std::vector<Scenario> load_scenarios(const fs::path& file, std::span<const std::string> sets,
                                     std::vector<Diagnostic>& warnings, Shortage shortage) {
  std::string why;
  std::optional<std::string> text = read_file(file, why);
  if (!text) throw UnreadableFile("cannot read " + file.string() + ": " + why + scenario_meant(file.string()));
  std::vector<Scenario> scenarios =
      load({file.string(), file.parent_path(), std::move(*text)}, sets, warnings, shortage);
  for (Scenario& scenario : scenarios) scenario.files.push_back(file.string());
  return scenarios;
}

std::vector<Scenario> load_scenarios_text(const std::string& text, const std::string& name, const fs::path& folder,
                                          std::span<const std::string> sets, std::vector<Diagnostic>& warnings) {
  return load({name, folder, text}, sets, warnings);
}

}  // namespace decodesim
