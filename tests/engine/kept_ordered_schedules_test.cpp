// The schedules that are kept beside scenario files of ordered policies say what was worked out by hand for them.

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace decodesim::tests {

namespace {

/// Who got tokens, pass by pass: "A5 B1".
std::vector<std::string> kept(const std::string& scenario) {
  const auto path = std::filesystem::path(DECODESIM_SOURCE_DIR) / "tests/engine/scenarios" / (scenario + ".jsonl");
  std::ifstream file(path);
  std::vector<std::string> passes;
  for (std::string line; std::getline(file, line);) {
    std::string pass;
    const auto step = nlohmann::json::parse(line);
    for (const auto& one : step.at("scheduled")) {
      if (!pass.empty()) pass += " ";
      pass += one.at(0).get<std::string>() + std::to_string(one.at(1).get<std::int64_t>());
    }
    passes.push_back(pass);
  }
  return passes;
}

std::vector<std::size_t> passes_of(const std::string& scenario, const std::string& served) {
  std::vector<std::size_t> found;
  const auto passes = kept(scenario);
  for (std::size_t i = 0; i < passes.size(); ++i) {
    if (passes[i] == served) found.push_back(i + 1);
  }
  return found;
}

}  // namespace

TEST_CASE("kept: the shortest rest runs, whoever was first") {
  CHECK(kept("shortest-rest-first") == std::vector<std::string>{"A1", "B1", "B1", "C1", "A1", "A1", "A1", "A1"});
}

TEST_CASE("kept: a long request starves without ageing, and with it runs again after 17 seconds") {
  const std::vector<std::size_t> starved{1, 26, 27, 28, 29, 30, 31, 32, 33, 34};
  CHECK(passes_of("short-ones-starve-a-long-one", "A1") == starved);
  const std::vector<std::size_t> aged{1, 19, 20, 21, 22, 23, 24, 25, 26, 27};
  CHECK(passes_of("ageing-ends-starvation", "A1") == aged);
}

TEST_CASE("kept: a tenant that comes back is lifted to the one that worked on") {
  std::string order;
  for (const std::string& pass : kept("idle-time-gives-no-credit")) {
    if (pass.substr(2) != "1") order += pass.substr(0, 2) + " ";
  }
  CHECK(order == "u1 v1 u2 v2 v3 u3 v4 ");
}

}  // namespace decodesim::tests
