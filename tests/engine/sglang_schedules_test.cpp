// Schedules that SGLang's own scheduler was seen to make, from scenario files, on both engines.

#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "sim/scenario/assemble.hpp"
#include "sim/scenario/load.hpp"
#include "tests/support/engines.hpp"
#include "tests/support/invariants.hpp"
#include "tests/support/schedule_table.hpp"

namespace decodesim::tests {

namespace {

/// Plays a scenario of tests/engine/scenarios on every engine and hands the schedule to `expect`.
template <class Expect>
void play_scenario(const std::string& name, Expect expect) {
  const std::filesystem::path file =
      std::filesystem::path(DECODESIM_SOURCE_DIR) / "tests" / "engine" / "scenarios" / (name + ".yaml");
  for (const Engine& engine : engines()) {
    CAPTURE(engine.name);
    std::vector<Diagnostic> warnings;
    const Assembly assembly = assemble(load_scenarios(file, {}, warnings).front(), "test");
    ScheduleTable table;
    InvariantChecker invariants(assembly.server);
    const std::vector<Observer*> observers{&table, &invariants};
    engine.run(assembly.server, *assembly.source, observers);
    expect(table);
    CHECK(invariants.violation() == "");
  }
}

/// The rows of some passes, one line each.
std::string rows(const ScheduleTable& table, std::initializer_list<std::size_t> passes) {
  const std::string text = table.text();
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin) + 1;
    lines.push_back(text.substr(begin, end - begin));
    begin = end;
  }
  std::string picked;
  for (const std::size_t pass : passes) picked += pass <= lines.size() ? lines[pass - 1] : "missing\n";
  return picked;
}

}  // namespace

TEST_CASE("an estimate that was too low is paid with a retraction, and the victim waits behind all that wait") {
  play_scenario("sglang-over-commit", [](const ScheduleTable& table) {
    CHECK(rows(table, {1, 2, 3, 37, 38, 39, 41, 42, 43, 44, 82, 83, 84, 85, 87}) ==
          "1 | A20 | | 80 | |\n"
          "2 | B10 | | 70 | |\n"
          "3 | A1 B1 | | 68 | | C\n"
          "37 | A1 B1 | | 0 | | C\n"
          "38 | B1 | A | 54 | | C A\n"
          "39 | B1 | | 53 | | C A\n"
          "41 | B1 | | 51 | B | C A\n"
          "42 | | | 100 | | C A\n"
          "43 | C30 | | 70 | | A\n"
          "44 | C1 | | 69 | | A\n"
          "82 | C1 | | 31 | C | A\n"
          "83 | | | 100 | | A\n"
          "84 | A56 | | 44 | |\n"
          "85 | A1 | | 43 | |\n"
          "87 | A1 | | 41 | A |\n");
    CHECK(table.rows().size() == 87);
  });
}

TEST_CASE("where all want their last token, the completion of all is played first and nobody is taken back") {
  play_scenario("sglang-ignore-eos", [](const ScheduleTable& table) {
    CHECK(rows(table, {1, 2, 3, 40, 41, 42, 43, 81, 82, 83, 122}) ==
          "1 | A20 | | 80 | |\n"
          "2 | A1 | | 79 | | B\n"
          "3 | A1 | | 78 | | B C\n"
          "40 | A1 | | 41 | A | B C\n"
          "41 | | | 100 | | B C\n"
          "42 | B10 | | 90 | | C\n"
          "43 | B1 | | 89 | | C\n"
          "81 | B1 | | 51 | B | C\n"
          "82 | | | 100 | | C\n"
          "83 | C30 | | 70 | |\n"
          "122 | C1 | | 31 | C |\n");
    CHECK(table.rows().size() == 122);
  });
}

TEST_CASE("chunks are batches of their own, and who decodes waits for them") {
  play_scenario("sglang-chunks", [](const ScheduleTable& table) {
    CHECK(table.text() ==
          "1 | A4 | | 96 | |\n"
          "2 | L8 | | 88 | | S\n"
          "3 | L8 | | 80 | | S\n"
          "4 | L4 S3 | | 73 | |\n"
          "5 | A1 L1 S1 | | 70 | |\n"
          "6 | A1 L1 S1 | | 67 | L S |\n"
          "7 | A1 | | 93 | |\n"
          "8 | A1 | | 92 | |\n"
          "9 | A1 | | 91 | A |\n");
  });
}

TEST_CASE("mixed chunks carry along who decodes, behind the prompts") {
  play_scenario("sglang-mixed-chunks", [](const ScheduleTable& table) {
    CHECK(table.text() ==
          "1 | A4 | | 96 | |\n"
          "2 | L7 A1 | | 88 | | S\n"
          "3 | L7 A1 | | 80 | | S\n"
          "4 | L6 S1 A1 | | 72 | |\n"
          "5 | S2 L1 A1 | | 68 | |\n"
          "6 | S1 L1 A1 | | 65 | L A |\n"
          "7 | S1 | | 95 | S |\n");
  });
}

}  // namespace decodesim::tests
