#include "sim/scenario/read_scenario.hpp"

#include <algorithm>
#include <filesystem>

#include "sim/scenario/batch_defaults.hpp"
#include "sim/scenario/merge.hpp"
#include "sim/scenario/pool.hpp"
#include "sim/scenario/record_reader.hpp"
#include "sim/scenario/scenario_fields.hpp"

namespace decodesim {

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

}  // namespace

std::vector<CaseTree> case_trees(Reading& reading, const LayeredFile& file, std::span<const std::string> sets) {
  std::vector<CaseTree> trees;
  const auto add = [&](const std::string& name, const DocumentNode* overlay) {
    DocumentNode tree = merge({}, file.tree);
    if (overlay != nullptr) tree = merge(std::move(tree), *overlay);
    lay_sets(reading, tree, sets, file.layers);
    tree.at = file.tree.at;
    trees.push_back({name, std::move(tree)});
  };
  for (const auto& [name, overlay] : file.cases) add(name, &overlay);
  if (trees.empty()) add("", nullptr);
  return trees;
}

Scenario read_scenario(Reading& reading, const DocumentNode& tree, const std::string& file_name,
                       const std::string& case_name) {
  Scenario scenario;
  scenario.case_name = case_name;
  RecordReader reader(reading, scenario_fields, scenario.stated);
  reader.read(tree, scenario_fields, &scenario, "", {"base", "cases", "sweep"});
  std::sort(scenario.stated.begin(), scenario.stated.end());
  if (scenario.name.empty()) scenario.name = std::filesystem::path(file_name).stem().string();
  complete(scenario);
  return scenario;
}

}  // namespace decodesim
