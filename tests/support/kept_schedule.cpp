#include "tests/support/kept_schedule.hpp"

#include <fstream>
#include <nlohmann/json.hpp>

namespace decodesim::tests {

namespace {
std::string joined(const nlohmann::json& words) {
  std::string line;
  for (const auto& word : words) line += " " + word.get<std::string>();
  return line;
}
}  // namespace

std::string kept_schedule(const std::string& name) {
  std::ifstream file(std::string(DECODESIM_SOURCE_DIR) + "/tests/engine/scenarios/" + name + ".jsonl");
  std::string table;
  for (std::string line; std::getline(file, line);) {
    const nlohmann::json pass = nlohmann::json::parse(line);
    table += std::to_string(pass.at("step").get<std::int64_t>()) + " |";
    for (const auto& grant : pass.at("scheduled")) {
      table += " " + grant.at(0).get<std::string>() + std::to_string(grant.at(1).get<std::int64_t>());
    }
    table += " |" + joined(pass.at("preempted")) + " | " + std::to_string(pass.at("free_blocks").get<std::int64_t>());
    table += " |" + joined(pass.at("finished")) + " |" + joined(pass.at("waiting")) + "\n";
  }
  return table;
}

}  // namespace decodesim::tests
