// docs/output.md names every key, column and field that a run puts out.

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>

#include "sim/report/measurements.hpp"
#include "sim/report/report_json.hpp"
#include "sim/report/requests_csv.hpp"
#include "sim/report/schedule_jsonl.hpp"
#include "tests/report/told_run.hpp"
#include "tests/support/program.hpp"

using namespace decodesim;
using namespace decodesim::tests;
namespace fs = std::filesystem;

namespace {

void collect(const nlohmann::json& json, std::set<std::string>& keys) {
  if (json.is_object()) {
    for (const auto& [key, value] : json.items()) {
      keys.insert(key);
      collect(value, keys);
    }
  } else if (json.is_array()) {
    for (const auto& value : json) collect(value, keys);
  }
}

/// The part of the page under the heading of that option, up to the next such heading.
std::string section(const std::string& option) {
  const std::string page = file_text(std::string(DECODESIM_SOURCE_DIR) + "/docs/output.md");
  const std::size_t start = page.find("\n## `" + option + "`\n");
  REQUIRE(start != std::string::npos);
  return page.substr(start, page.find("\n## ", start + 1) - start);
}

void check_named(const std::string& text, const std::set<std::string>& names) {
  for (const std::string& name : names) {
    CHECK_MESSAGE(text.find('`' + name + '`') != std::string::npos, "docs/output.md does not name " << name);
  }
}

/// What `Writer` writes of the two told requests.
template <class Writer, class... More>
std::string written(const char* name, More... more) {
  const fs::path path = fs::temp_directory_path() / (std::string("decodesim-page-") + name);
  Writer writer(path, more...);
  tell_two_requests(writer);
  const std::string text = file_text(path.string());
  fs::remove(path);
  return text;
}

}  // namespace

TEST_CASE("every key of the JSON document is described") {
  SloSpec slo;
  slo.tpot_p99 = seconds(1);
  Measurements measurements(header_of(2), {}, slo);
  tell_two_requests(measurements);
  Report report = measurements.report();
  report.header.defaults = {{"memory.utilization", "0.92", "assumed"}};
  report.header.draft_tokens = 3;  // with all that is told of drafts
  std::ostringstream out;
  write_json(std::vector<Report>{report, report}, out);
  std::set<std::string> keys;
  collect(nlohmann::json::parse(out.str()), keys);
  CHECK(keys.size() > 100);
  check_named(section("--json"), keys);
}

TEST_CASE("every column of the requests table is described") {
  std::istringstream header(written<RequestsCsv>("requests.csv"));
  std::string line;
  std::getline(header, line);
  std::set<std::string> columns;
  std::istringstream cells(line);
  for (std::string cell; std::getline(cells, cell, ',');) columns.insert(cell);
  CHECK(columns.size() == 43);
  check_named(section("--requests-csv"), columns);
}

TEST_CASE("every key and column of a sweep is described") {
  const fs::path csv = fs::temp_directory_path() / "decodesim-page-sweep.csv";
  const std::string command = "sweep chat-on-hgx-h100 --list --json --sweep parallel.tp=4,8 --csv ";
  std::set<std::string> keys;
  collect(nlohmann::json::parse(run_program(command + csv.string()).out), keys);
  CHECK(keys.size() == 35);
  check_named(section("sweep --json"), keys);
  const std::string columns = file_text(csv.string());
  fs::remove(csv);
  std::istringstream cells(columns.substr(0, columns.find('\n')));
  std::set<std::string> own;
  for (std::string cell; std::getline(cells, cell, ',');) {
    if (!keys.contains(cell)) own.insert(cell);
  }
  CHECK(own == std::set<std::string>{"parallel.tp"});
}

TEST_CASE("every field of a line of the schedule is described") {
  const std::string text = written<ScheduleJsonl>("schedule.jsonl", Duration{});
  const nlohmann::json line = nlohmann::json::parse(text.substr(0, text.find('\n')));
  std::set<std::string> fields;
  for (const auto& [field, value] : line.items()) fields.insert(field);
  CHECK(fields.size() == 10);
  check_named(section("--schedule-jsonl"), fields);
}
