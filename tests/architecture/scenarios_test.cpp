#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "sim/workload/traces/trace.hpp"

namespace decodesim::tests {

namespace {

const std::filesystem::path root(DECODESIM_SOURCE_DIR);

std::vector<std::string> yaml_files(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(root / folder)) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

struct Ended {
  int status;
  std::string said;
};

Ended run(const std::string& command) {
  const auto close = [](std::FILE* pipe) { (void)pclose(pipe); };
  std::unique_ptr<std::FILE, decltype(close)> pipe(popen((command + " 2>&1").c_str(), "r"), close);
  REQUIRE(pipe);
  std::string said;
  std::array<char, 4096> block{};
  for (std::size_t got = 1; got > 0;) {
    got = std::fread(block.data(), 1, block.size(), pipe.get());
    said.append(block.data(), got);
  }
  return {pclose(pipe.release()), said};
}

}  // namespace

TEST_CASE("every scenario that comes with the program is valid") {
  // The program may have been built outside the repository; its catalog is the one beside the scenarios.
  ::setenv("DECODESIM_HOME", root.c_str(), 1);
  auto files = yaml_files("scenarios");
  const auto behaviours = yaml_files("scenarios/behaviours");
  REQUIRE(!files.empty());
  REQUIRE(!behaviours.empty());
  files.insert(files.end(), behaviours.begin(), behaviours.end());
  for (const std::string& file : files) {
    const Ended ended = run("'" DECODESIM_BINARY "' check '" + file + "'");
    CHECK_MESSAGE(ended.status == 0, ended.said);
  }
}

TEST_CASE("every trace that comes with the program reads, and has requests") {
  const auto files = yaml_files("workloads/requests");
  REQUIRE(!files.empty());
  for (const std::string& file : files) CHECK_MESSAGE(!read_trace(file).empty(), file);
}

}  // namespace decodesim::tests
