#include "tests/support/run_documents.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "sim/report/measurements.hpp"
#include "sim/report/report_json.hpp"
#include "sim/report/requests_csv.hpp"
#include "sim/report/schedule_jsonl.hpp"

namespace decodesim::tests {

namespace {

namespace fs = std::filesystem;

/// A folder of this process, gone with it.
class Scratch {
 public:
  Scratch() : path_(fs::temp_directory_path() / ("decodesim-documents-" + std::to_string(::getpid()))) {
    fs::create_directories(path_);
  }
  ~Scratch() {
    std::error_code none;
    fs::remove_all(path_, none);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  [[nodiscard]] fs::path file(const char* name) const { return path_ / name; }

 private:
  fs::path path_;
};

/// The content of a file, which is then gone: a file system that flushes what is renamed over another would make
/// thousands of runs wait for the disk.
std::string take(const fs::path& path) {
  std::ostringstream bytes;
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("the run left no " + path.filename().string());
  bytes << file.rdbuf();
  fs::remove(path);
  return bytes.str();
}

/// Measurements that never hear the watchdog's own words.
class PlainWords : public Measurements {
 public:
  using Measurements::Measurements;
  void run_ended(const RunFacts& facts) override {
    RunFacts plain = facts;
    if (!plain.watchdog.empty()) plain.watchdog = "the watchdog ended the run";
    Measurements::run_ended(plain);
  }
};

}  // namespace

RunDocuments documents(const Engine& engine, const RandomScenario& scenario) {
  static const Scratch scratch;
  RunHeader header;
  header.version = "test";
  header.scenario = "random-" + std::to_string(scenario.seed);
  header.requests = static_cast<std::int64_t>(scenario.requests.size());
  header.num_blocks = scenario.server.num_blocks;
  header.usable_blocks = scenario.server.usable_blocks;
  header.block_size = scenario.server.block_size;
  header.closed_loop = scenario.concurrency.has_value();

  const fs::path schedule_file = scratch.file("schedule.jsonl");
  const fs::path requests_file = scratch.file("requests.csv");
  PlainWords measurements(header, scenario.run, scenario.slo);
  {
    ScheduleJsonl schedule(schedule_file, scenario.server.grid_step);
    RequestsCsv requests(requests_file, {}, scenario.slo);
    play(engine, scenario.server, scenario.requests, scenario.concurrency, {&measurements, &schedule, &requests},
         scenario.closes);
  }
  std::ostringstream json;
  write_json(measurements.report(), json);
  return {take(schedule_file), take(requests_file), json.str()};
}

}  // namespace decodesim::tests
