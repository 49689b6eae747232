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

Folder::Folder() {
  std::string name = (std::filesystem::temp_directory_path() / "decodesim-XXXXXX").string();
  REQUIRE(mkdtemp(name.data()) != nullptr);
  path_ = name;
}

Folder::~Folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::filesystem::path Folder::write(const std::string& name, const std::string& text) const {
  const std::filesystem::path file = path_ / name;
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
  return file;
}

Loaded Folder::load(const std::string& name, const std::vector<std::string>& sets) const {
  Loaded loaded;
  try {
    loaded.scenarios = load_scenarios(path_ / name, sets, loaded.diagnostics);
  } catch (const ScenarioError& error) {
    loaded.diagnostics = error.diagnostics();
  }
  return loaded;
}

}  // namespace decodesim::tests
