#include "tests/engine/peer_trtllm.hpp"

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "tests/support/shared_data.hpp"

namespace decodesim::tests {

std::optional<std::vector<json>> peer_cases(const std::string& system) {
  const auto path = shared_file("data/engine_cases/peer_tests.json");
  if (!path) return std::nullopt;
  std::ifstream file(*path);
  const json all = json::parse(file);
  std::vector<json> cases;
  for (const json& one : all.at("cases")) {
    if (one.at("system").get<std::string>().starts_with(system)) cases.push_back(one);
  }
  return cases;
}

std::optional<json> peer_case(const std::string& id) {
  const auto cases = peer_cases("");
  if (!cases) return std::nullopt;
  for (const json& one : *cases) {
    if (one.at("id") == id) return one;
  }
  throw std::out_of_range("there is no case " + id);
}

std::string engine_of(const std::string& policy) {
  if (policy == "trtllm-max-util") return "trtllm-max-utilization";
  if (policy == "trtllm-static") return "trtllm-static-batch";
  return "trtllm-guaranteed-no-evict";
}

std::vector<TokenRun> content_of(const std::string& token_ids) {
  std::vector<TokenRun> content;
  std::istringstream parts(token_ids);
  for (std::string part; std::getline(parts, part, ',');) {
    const std::size_t dots = part.find("..");
    const std::uint64_t first = std::stoull(part);
    const std::uint64_t last = dots == std::string::npos ? first : std::stoull(part.substr(dots + 2));
    for (std::uint64_t id = first; id <= last; ++id) content.push_back({id, 1});
  }
  return content;
}

}  // namespace decodesim::tests
