// The result of every scenario that comes with the program, to the byte, beside the invariants of its run.

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "sim/scenario/assemble.hpp"
#include "sim/scenario/load.hpp"
#include "tests/support/invariants.hpp"
#include "tests/support/program.hpp"

namespace decodesim::tests {

namespace fs = std::filesystem;

namespace {

const fs::path root(DECODESIM_SOURCE_DIR);

std::vector<fs::path> scenarios() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(root / "scenarios")) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// What a scenario that is about an oracle is warned of is no mistake in it.
std::string without_oracles(const std::string& warnings) {
  std::istringstream lines(warnings);
  std::string others;
  for (std::string line; std::getline(lines, line);)
    if (!line.starts_with("warning: the scheduler is an oracle: ")) others += line + "\n";
  return others;
}

}  // namespace

TEST_CASE("every scenario that comes with the program gives the result that is kept for it") {
  const bool update = std::getenv("DECODESIM_UPDATE_GOLDEN") != nullptr;
  REQUIRE(scenarios().size() >= 3);
  for (const fs::path& scenario : scenarios()) {
    CAPTURE(scenario.filename().string());
    const ProgramResult result = run_program("run 'scenarios/" + scenario.filename().string() + "' --json");
    CHECK(result.exit_code == 0);
    CHECK(without_oracles(result.err) == "");
    const std::string kept = (root / "tests" / "golden" / "results" / (scenario.stem().string() + ".json")).string();
    if (update) std::ofstream(kept, std::ios::binary) << result.out;
    CHECK(result.out != "");
    // Not CHECK(a == b): two documents of this size say less than their names.
    CHECK_MESSAGE(result.out == file_text(kept),
                  "differs from " << kept << "; DECODESIM_UPDATE_GOLDEN=1 writes it anew");
  }
}

TEST_CASE("the invariants hold in every scenario that comes with the program") {
  ::setenv("DECODESIM_HOME", DECODESIM_SOURCE_DIR, 1);
  for (const fs::path& file : scenarios()) {
    std::vector<Diagnostic> warnings;
    for (Scenario& scenario : load_scenarios(file, {}, warnings)) {
      CAPTURE(file.filename().string());
      CAPTURE(scenario.case_name);
      // The checker walks the batch at every pass; two rounds of a closed loop show it all.
      if (scenario.workload.max_concurrency) {
        scenario.workload.num_requests =
            std::min(scenario.workload.num_requests, 2 * *scenario.workload.max_concurrency);
        scenario.workload.output_tokens.max = std::min<std::int64_t>(scenario.workload.output_tokens.max, 64);
        scenario.workload.output_tokens.min = std::min<std::int64_t>(scenario.workload.output_tokens.min, 64);
      } else if (scenario.workload.kind == WorkloadKind::generator) {
        scenario.workload.num_requests = std::min<std::int64_t>(scenario.workload.num_requests, 100);
      }
      Assembly parts = assemble(scenario, "test");
      InvariantChecker invariants(parts.server);
      Observer* const observers[] = {&invariants};
      simulate(parts.server, *parts.source, observers);
      CHECK(invariants.violation() == "");
    }
  }
}

}  // namespace decodesim::tests
