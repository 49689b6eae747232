#include "tests/support/peer_cases.hpp"

#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "tests/support/shared_data.hpp"

namespace decodesim::tests {

std::optional<std::vector<json>> peer_cases(const std::string& system) {
  const auto path = shared_file("data/engine_cases/peer_tests.json");
  if (!path) return std::nullopt;
  static const json all = json::parse(std::ifstream(*path));
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

}  // namespace decodesim::tests
