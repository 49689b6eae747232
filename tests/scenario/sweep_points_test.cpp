#include "sim/scenario/sweep_points.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "sim/scenario/load.hpp"
#include "sim/scenario/sweep_range.hpp"
#include "tests/scenario/loading.hpp"

namespace decodesim::tests {

namespace {

using Texts = std::vector<std::string>;

/// A scenario of which 4 GPUs, 16 layers and 8 heads are known.
const std::string served =
    "version: 1\n"
    "model: llama-3-8b\n"
    "hardware: {node: hgx-h100, gpus: 4}\n"
    "parallel: {tp: 4}\n"
    "cost: {model: roofline}\n"
    "workload: {input_tokens: 1k, output_tokens: 8, max_concurrency: 4, num_requests: 8}\n";

struct LoadedSweep {
  SweepPoints points;
  std::vector<Diagnostic> diagnostics;
};

LoadedSweep load(const std::string& text, const Texts& options = {}, const Texts& sets = {}) {
  const Folder folder;
  folder.write("s.yaml", text);
  LoadedSweep loaded;
  try {
    loaded.points = load_sweep(folder.path() / "s.yaml", options, sets, loaded.diagnostics);
  } catch (const ScenarioError& error) {
    loaded.diagnostics = error.diagnostics();
  }
  return loaded;
}

std::vector<Texts> values_of(const LoadedSweep& loaded) {
  std::vector<Texts> values;
  for (const SweepPoint& point : loaded.points.points) values.push_back(point.values);
  return values;
}

/// The one mistake of a sweep block, as "code line:column".
std::string mistake(const std::string& block, const Texts& options = {}, const Texts& sets = {}) {
  std::string all;
  for (const Diagnostic& one : load(served + block, options, sets).diagnostics) {
    if (one.severity != Severity::error) continue;
    CHECK(!one.help.empty());
    all += (all.empty() ? "" : ", ") + one.code + " " + std::to_string(one.line) + ":" + std::to_string(one.column);
  }
  return all;
}

}  // namespace

TEST_CASE("candidates take turns slowest, then what is zipped, then the grid in its order, then options") {
  const LoadedSweep loaded = load(served +
                                      "sweep:\n"
                                      "  grid: {scheduler.max_num_seqs: {from: 2, to: 7, step: 4}}\n"
                                      "  zip: {workload.input_tokens: [1k, 2k], workload.num_requests: [8, 4]}\n"
                                      "  candidates: [{precision.kv_cache: fp8}, {parallel.tp: 2, hardware.gpus: 2}]\n",
                                  {"run.seed=1,2"});
  CHECK(loaded.points.paths == Texts{"precision.kv_cache", "parallel.tp", "hardware.gpus", "workload.input_tokens",
                                     "workload.num_requests", "scheduler.max_num_seqs", "run.seed"});
  const std::vector<Texts> values = values_of(loaded);
  REQUIRE(values.size() == 16);
  CHECK(values[0] == Texts{"fp8", "", "", "1k", "8", "2", "1"});
  CHECK(values[1] == Texts{"fp8", "", "", "1k", "8", "2", "2"});
  CHECK(values[2] == Texts{"fp8", "", "", "1k", "8", "6", "1"});
  CHECK(values[4] == Texts{"fp8", "", "", "2k", "4", "2", "1"});
  CHECK(values[15] == Texts{"", "2", "2", "2k", "4", "6", "2"});
  const Scenario& last = loaded.points.points[15].scenario;
  CHECK(last.parallel.tp == 2);
  CHECK(last.hardware.gpus == 2);
  CHECK(last.workload.num_requests == 4);
  CHECK(last.scheduler.max_num_seqs == 6);
  CHECK(last.run.seed == 2);
  CHECK(loaded.points.points[15].hash == scenario_hash(last));
}

TEST_CASE("an option is a path of the grid: a list as YAML has it, or a range") {
  const LoadedSweep list = load(served, {"hardware={node: hgx-h100, gpus: 4}, {node: hgx-h200, gpus: 4}"});
  REQUIRE(list.points.points.size() == 2);
  CHECK(list.points.points[1].scenario.hardware.name != list.points.points[0].scenario.hardware.name);
  CHECK(values_of(load(served, {"scheduler.max_num_seqs=8:32:8"})) ==
        std::vector<Texts>{{"8"}, {"16"}, {"24"}, {"32"}});
  const LoadedSweep block = load(served + "sweep: {grid: {scheduler.max_num_seqs: {from: 8, to: 32, step: 8}}}\n");
  CHECK(values_of(block) == values_of(load(served, {"scheduler.max_num_seqs=8:32:8"})));
}

TEST_CASE("a point is the scenario that --set would make of its values, over any that are set") {
  const LoadedSweep swept = load(served, {"model=llama-3-70b,llama-3-8b"}, {"precision.kv_cache=fp8"});
  const Folder folder;
  folder.write("s.yaml", served);
  std::vector<Diagnostic> warnings;
  const Texts sets{"precision.kv_cache=fp8", "model=llama-3-70b"};
  const std::vector<Scenario> set = load_scenarios(folder.path() / "s.yaml", sets, warnings);
  REQUIRE(swept.points.points.size() == 2);
  CHECK(scenario_text(swept.points.points[0].scenario) == scenario_text(set[0]));
}

TEST_CASE("cases are swept one after the other") {
  const LoadedSweep loaded = load(served + "cases: {a: {run: {seed: 5}}, b: {run: {seed: 6}}}\n", {"parallel.tp=2,4"});
  CHECK(loaded.points.has_cases);
  std::string cases;
  for (const SweepPoint& point : loaded.points.points)
    cases += point.scenario.case_name + std::to_string(point.scenario.run.seed) + point.values[0] + " ";
  CHECK(cases == "a52 a54 b62 b64 ");
}

TEST_CASE("what is excluded has all values of an entry, and an entry that excludes nothing is a mistake") {
  const std::string block =
      "sweep:\n"
      "  grid: {parallel.tp: [1, 2, 4], precision.kv_cache: [bf16, fp8]}\n";
  const LoadedSweep loaded =
      load(served + block + "  exclude: [{parallel.tp: 1, precision.kv_cache: fp8}, {parallel.tp: 4}]\n");
  CHECK(values_of(loaded) == std::vector<Texts>{{"1", "bf16"}, {"2", "bf16"}, {"2", "fp8"}});
  CHECK(loaded.points.excluded == 3);
  CHECK(mistake(block + "  exclude: [{parallel.tp: 3}]\n") == "no-effect 9:14");
  CHECK(mistake(block + "  exclude: [{parallel.tb: 1}]\n") == "unknown-key 9:14");
  CHECK(mistake(block + "  exclude: [{parallel.tp: 1}, {parallel.tp: 2}, {parallel.tp: 4}]\n") == "no-points 9:14");
}

TEST_CASE("points that no server could start with are there with their reason, and end no sweep") {
  const LoadedSweep loaded = load(served, {"model=llama-3-8b,llama-3-70b", "parallel.tp=1,3,4,8"});
  Texts reasons;
  for (const SweepPoint& point : loaded.points.points) reasons.push_back(point.objection);
  REQUIRE(reasons.size() == 8);
  CHECK(reasons[0].empty());
  CHECK(reasons[1].find("heads cannot be split evenly over 3 ranks") != std::string::npos);
  CHECK(reasons[3].find("'hardware' has 4 GPUs") != std::string::npos);
  CHECK(reasons[4].find("weights") != std::string::npos);
  CHECK(reasons[6].empty());
}

TEST_CASE("mistakes of the block are told at their places, with a fix") {
  CHECK(mistake("sweep: {grid: {parallel.tp: []}}\n") == "empty-value 7:16");
  CHECK(mistake("sweep: {}\n") == "wrong-type 7:1");
  CHECK(mistake("sweep: {gird: {parallel.tp: [1]}}\n") == "unknown-key 7:9");
  CHECK(mistake("sweep: {grid: {parallel.tp: 1}}\n") == "wrong-type 7:29");
  CHECK(mistake("sweep: {grid: {parallel.tp: [1, 2, 1]}}\n") == "duplicate-value 7:36");
  CHECK(mistake("sweep: {grid: {parallel.tp: [1], parallel.tp: [2]}}\n") == "duplicate-key 7:34");
  CHECK(mistake("sweep: {grid: {parallel.tp: [1]}, candidates: [{parallel.tp: 2}]}\n") == "duplicate-path 7:16");
  CHECK(mistake("sweep: {zip: {parallel.tp: [1, 2], run.seed: [1]}}\n") == "unequal-lists 7:36");
  CHECK(mistake("sweep: {candidates: {parallel.tp: 2}}\n") == "wrong-type 7:9");
  CHECK(mistake("sweep: {grid: {parallel.tp: {from: 4, to: 1, step: 1}}}\n") == "wrong-range 7:16");
  CHECK(mistake("sweep: {grid: {parallel.tp: [1]}}\n", {"parallel.tp=2"}) == "duplicate-path 1:1");
  CHECK(mistake("sweep: {grid: {parallel.tp: [1, 2]}}\n", {}, {"parallel.tp=4"}) == "duplicate-path 7:16");
  CHECK(mistake("") == "missing-key 1:1");
  CHECK(mistake("", {"parallel.tp"}) == "set-without-value 1:1");
  CHECK(mistake("", {"parallel.tp=1,,2"}) == "empty-value 1:1");
  CHECK(mistake("cases: {a: {sweep: {grid: {parallel.tp: [1]}}}}\n") == "unknown-key 7:13");
}

TEST_CASE("a path that does not exist, or a value that it cannot have, is a mistake wherever it is written") {
  CHECK(mistake("sweep: {grid: {parallel.tb: [1, 2]}}\n") == "unknown-key 7:25");
  CHECK(mistake("sweep: {grid: {parallel.tp: [1, two]}}\n") == "not-a-number 7:33");
  CHECK(mistake("", {"scheduler.engine=vllm-v1,vlm"}) == "unknown-name 1:27");
  CHECK(mistake("", {"base=a.yaml,b.yaml"}) == "unknown-key 1:1");
  CHECK(mistake("", {"sweep=1,2"}) == "unknown-key 1:1");
}

TEST_CASE("a path without effect is a mistake, and so are two points that are the same scenario") {
  CHECK(mistake("", {"scheduler.chunked_prefill_size=1024,2048"}) == "no-effect 1:11");
  CHECK(mistake("", {"memory.window_layers=apart"}) == "no-effect 1:23");
  CHECK(mistake("sweep: {grid: {workload.input_tokens: [1k, 1024]}}\n") == "no-effect 7:44");
  CHECK(mistake("sweep: {grid: {hardware.gpus: [4], x-note: [a, b]}}\n") == "no-effect 7:48");
}

TEST_CASE("so many points that nobody can want them are refused before one is made") {
  CHECK(mistake("", {"run.seed=1:100001:1"}) == "wrong-range 1:1");
  CHECK(mistake("", {"run.seed=1:90000:1", "scheduler.max_num_seqs=1:90000:1", "workload.num_requests=1:90000:1",
                     "workload.output_tokens=1:90000:1"}) == "too-many-points 1:1");
}

TEST_CASE("a range is exact in decimals, ends where a step leads, and has one unit") {
  const auto values = [](const char* from, const char* to, const char* step) {
    return sweep_range(from, to, step, 1000).values;
  };
  CHECK(values("0", "1", "0.1") == Texts{"0", "0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9", "1"});
  CHECK(values("2", "9", "3") == Texts{"2", "5", "8"});
  CHECK(values("5", "5", "1") == Texts{"5"});
  CHECK(values("1.50", "2 req/s", "0.25") == Texts{"1.5 req/s", "1.75 req/s", "2 req/s"});
  CHECK(values("4k", "16k", "4k") == Texts{"4k", "8k", "12k", "16k"});
  for (const auto& [from, to, step] :
       std::vector<std::array<const char*, 3>>{{"1", "2", "0"},
                                               {"2", "1", "1"},
                                               {"a", "2", "1"},
                                               {"1", "2", "-1"},
                                               {"1e3", "2e3", "1"},
                                               {"1", "9999999999999999", "1"},
                                               {"999999999999999", "999999999999999", "0.00001"},
                                               {"1 ms", "2 s", "1"},
                                               {"1", "1001", "1"}}) {
    CAPTURE(from);
    CAPTURE(step);
    const SweepRange range = sweep_range(from, to, step, 1000);
    CHECK(range.values.empty());
    CHECK(!range.problem.empty());
    CHECK(!range.help.empty());
  }
  CHECK(values("1", "1000", "1").size() == 1000);
}

}  // namespace decodesim::tests
