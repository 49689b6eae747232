#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/architecture/source_files.hpp"

namespace decodesim::tests {

namespace {

/// Who may include whom, beside itself. Below sim/ nothing includes tools/ or tests/.
const std::map<std::string, std::set<std::string>> rooms{
    {"core", {}},
    {"workload", {"core"}},
    {"hardware", {"core"}},
    {"model", {"core", "hardware"}},
    {"serving", {"core", "workload", "hardware", "model"}},
    {"report", {"core", "workload", "hardware", "model"}},
    {"scenario", {"core", "workload", "hardware", "model", "serving", "report"}},
    {"study", {"core", "workload", "hardware", "model", "serving", "report", "scenario"}},
};

/// Single headers that a room may include of another that it may not see as a whole.
const std::map<std::string, std::set<std::string>> single_headers{{"report", {"sim/serving/observer.hpp"}}};

/// A library, known by how its headers begin, and the one place that may include it.
struct Library {
  std::string_view begins;
  std::string_view folder;
  bool source_only;  // in .cpp files
};
constexpr Library libraries[] = {
    {"yaml-cpp/", "sim/scenario/", true},
    {"boost/graph/", "sim/hardware/", true},
    {"boost/random/", "sim/core/", false},
    {"boost/program_options", "tools/decodesim/", false},
    {"spdlog/", "tools/decodesim/", true},
    {"fmt/", "tools/decodesim/", true},
    {"nlohmann/json_fwd.hpp", "tests/", false},
    {"nlohmann/", "tests/", true},
    {"doctest/", "tests/", true},
    {"benchmark/", "tests/benchmarks/", true},
};

bool may_include(const SourceFile& file, const std::string& target) {
  const bool ours = target.starts_with("sim/") || target.starts_with("tools/") || target.starts_with("tests/");
  if (!ours) return true;
  if (!file.path.starts_with("sim/")) return target.starts_with("sim/") || target.starts_with(file.path.substr(0, 5));
  if (!target.starts_with("sim/")) return false;
  const std::string to = target.substr(4, target.find('/', 4) - 4);
  if (to == file.room() || rooms.at(file.room()).contains(to)) return true;
  const auto single = single_headers.find(file.room());
  return single != single_headers.end() && single->second.contains(target);
}

}  // namespace

TEST_CASE("every room of sim/ is in the table of who may include whom, and the table has no cycle") {
  for (const SourceFile& file : source_files({"sim"})) {
    CAPTURE(file.path);
    CHECK(rooms.contains(file.room()));
  }
  // Taking away, again and again, the rooms that include only rooms already taken away must leave none.
  std::set<std::string> taken;
  for (std::size_t round = 0; round < rooms.size(); ++round) {
    for (const auto& [room, targets] : rooms) {
      if (std::includes(taken.begin(), taken.end(), targets.begin(), targets.end())) taken.insert(room);
    }
  }
  CHECK(taken.size() == rooms.size());
}

TEST_CASE("every #include keeps to who may include whom") {
  std::size_t seen = 0;
  for (const SourceFile& file : source_files({"sim", "tools", "tests"})) {
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      const std::string target = included(file.lines[i]);
      if (target.empty()) continue;
      ++seen;
      CAPTURE(place(file, i));
      CAPTURE(target);
      CHECK(may_include(file, target));
    }
  }
  CHECK(seen > 100);
}

TEST_CASE("the check of includes sees a forbidden one") {
  const SourceFile core{"sim/core/x.hpp", {}};
  const SourceFile report{"sim/report/x.cpp", {}};
  const SourceFile scenario{"sim/scenario/x.cpp", {}};
  CHECK(!may_include(core, "sim/workload/request.hpp"));
  CHECK(!may_include(report, "sim/serving/replica.hpp"));
  CHECK(may_include(report, "sim/serving/observer.hpp"));
  CHECK(!may_include(scenario, "tools/decodesim/command.hpp"));
  CHECK(!may_include(scenario, "tests/support/engines.hpp"));
  CHECK(may_include(scenario, "sim/report/report_spec.hpp"));
}

TEST_CASE("our own headers are included in quotes, from the root, and are there; all others in angle brackets") {
  const std::filesystem::path root(DECODESIM_SOURCE_DIR);
  for (const SourceFile& file : source_files({"sim", "tools", "tests"})) {
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      const std::string target = included(file.lines[i]);
      if (target.empty()) continue;
      CAPTURE(place(file, i));
      const bool quoted = file.lines[i].find('"') != std::string::npos;
      CHECK(quoted == std::filesystem::exists(root / target));
    }
  }
}

TEST_CASE("each library is included in its one place, most in .cpp files only") {
  std::set<std::string> graph_files;
  for (const SourceFile& file : source_files({"sim", "tools", "tests"})) {
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      const std::string target = included(file.lines[i]);
      const bool third_party = target.find('/') != std::string::npos && file.lines[i].find('<') != std::string::npos &&
                               !target.starts_with("sys/");
      if (!third_party) continue;
      CAPTURE(place(file, i));
      const auto library = std::find_if(std::begin(libraries), std::end(libraries),
                                        [&](const Library& known) { return target.starts_with(known.begins); });
      REQUIRE_MESSAGE(library != std::end(libraries), target << " is of no known library");
      CHECK(file.path.starts_with(library->folder));
      CHECK((!library->source_only || !file.header()));
      if (library->begins == "boost/graph/") graph_files.insert(file.path);
    }
  }
  // It takes seconds to compile.
  CHECK(graph_files.size() <= 1);
}

}  // namespace decodesim::tests
