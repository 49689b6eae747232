// The schedules of scenario files, from the command line to the bytes of --schedule-jsonl.

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace decodesim::tests {

namespace {

namespace fs = std::filesystem;

/// Where the watchdog ends a run only so many passes are kept, since one of them evicts a thousand times before.
constexpr std::size_t passes_kept_of_hangs = 40;

std::string first_passes(const fs::path& path, std::size_t passes_kept) {
  std::ifstream file(path);
  std::string text;
  std::string line;
  for (std::size_t i = 0; i < passes_kept && std::getline(file, line); ++i) text += line + "\n";
  return text;
}

/// Runs the program on `scenario` and returns its exit code.
int run(const fs::path& scenario, const fs::path& schedule) {
  const std::string command = std::string("'") + DECODESIM_BINARY + "' run '" + scenario.string() +
                              "' --schedule-jsonl '" + schedule.string() + "' > /dev/null 2>&1";
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

TEST_CASE("the program writes the schedule that is kept beside each scenario") {
  const bool update = std::getenv("DECODESIM_UPDATE_GOLDEN") != nullptr;
  const fs::path folder = fs::path(DECODESIM_SOURCE_DIR) / "tests" / "engine" / "scenarios";
  const fs::path written = fs::temp_directory_path() / ("decodesim-schedule-" + std::to_string(::getpid()) + ".jsonl");
  std::vector<fs::path> scenarios;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".yaml") scenarios.push_back(entry.path());
  }
  std::sort(scenarios.begin(), scenarios.end());
  REQUIRE(scenarios.size() >= 10);

  for (const fs::path& scenario : scenarios) {
    const std::string name = scenario.stem().string();
    CAPTURE(name);
    // Where the watchdog ends the run the program says so by its exit code.
    const bool hangs = name == "never-fits-hangs" || name == "never-fits-evicts-itself" || name == "victims-cycle";
    CHECK(run(scenario, written) == (hangs ? 1 : 0));
    const std::size_t passes_kept = hangs ? passes_kept_of_hangs : SIZE_MAX;
    fs::path kept = scenario;
    kept.replace_extension(".jsonl");
    if (update) std::ofstream(kept) << first_passes(written, passes_kept);
    CHECK(first_passes(kept, passes_kept) != "");
    CHECK(first_passes(written, passes_kept) == first_passes(kept, passes_kept));
    fs::remove(written);
  }
}

}  // namespace decodesim::tests
