#include "tests/scenario/loading.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "sim/scenario/diagnostic.hpp"

namespace decodesim::tests {

const std::string small_scenario =
    "version: 1\n"
    "cost: {model: fixed, step: 1 s}\n"
    "memory: {num_gpu_blocks: 11}\n"
    "workload: {num_requests: 3, input_tokens: 5, output_tokens: 2}\n";

Loaded load_text(const std::string& text, const std::vector<std::string>& sets) {
  Loaded loaded;
  try {
    loaded.scenarios = load_scenarios_text(text, "s.yaml", ".", sets, loaded.diagnostics);
  } catch (const ScenarioError& error) {
    loaded.diagnostics = error.diagnostics();
  }
  return loaded;
}

Scenario load_one(const std::string& text, const std::vector<std::string>& sets) {
  const Loaded loaded = load_text(text, sets);
  INFO(text);
  INFO(diagnostics_text(loaded.diagnostics));
  REQUIRE(loaded.scenarios.size() == 1);
  return loaded.scenarios.front();
}

Loaded Folder::load(const std::string& name, const std::vector<std::string>& sets) const {
  Loaded loaded;
  try {
    loaded.scenarios = load_scenarios(path() / name, sets, loaded.diagnostics);
  } catch (const ScenarioError& error) {
    loaded.diagnostics = error.diagnostics();
  }
  return loaded;
}

}  // namespace decodesim::tests
