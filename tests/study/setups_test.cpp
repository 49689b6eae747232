#include "sim/study/setups.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <string>

#include "sim/scenario/diagnostic.hpp"
#include "sim/study/measured_table.hpp"
#include "sim/study/point_variant.hpp"
#include "tests/study/measured_files.hpp"
#include "tests/support/shared_data.hpp"

namespace decodesim::tests {

namespace {

const char* const table =
    "version: 1\n"
    "names:\n"
    "  - {column: model, text: Llama 70B, means: llama-3-70b}\n"
    "setups:\n"
    "  - {name: a, when: {id: A-}, base: base.yaml, shortest: 80 %, rounds: 10, clients_are_max_num_seqs: true}\n"
    "  - {name: b, when: {note: fast}, set: [cost.model=ideal]}\n"
    "  - {when: {id: A-, input_tokens: 100, tp_below: 8}, not_held: [ttft_ms], because: it waits}\n";

MeasuredPoint point(const std::string& id, const std::string& note, std::int64_t input, std::int64_t tp) {
  MeasuredPoint one;
  one.id = id;
  one.note = note;
  one.input_tokens = input;
  one.output_tokens = 10;
  one.concurrency = 4;
  one.tp = tp;
  one.values = {{MeasuredMetric::ttft_ms, 10, id, 0}};
  return one;
}

}  // namespace

TEST_CASE("every set-up that fits a row applies, later ones over earlier") {
  const Setups setups = setups_of(table);
  CHECK(setups.meaning("model", "Llama 70B") == "llama-3-70b");
  CHECK(setups.meaning("gpu", "Llama 70B") == "Llama 70B");
  const PointSetup one = setup_of(setups, point("A-1", "slow", 100, 4));
  CHECK(one.name == "a");
  REQUIRE(one.bases.size() == 1);
  CHECK(one.bases[0].ends_with("/base.yaml"));
  CHECK(one.bases[0].starts_with("/"));
  CHECK(one.shortest == 0.8);
  CHECK(one.mean_share() == doctest::Approx(0.9));
  CHECK(!one.holds(MeasuredMetric::ttft_ms));
  CHECK(one.holds(MeasuredMetric::tpot_ms));
  CHECK(one.because == "it waits");
  CHECK(setup_of(setups, point("A-1", "slow", 100, 8)).holds(MeasuredMetric::ttft_ms));
  const PointSetup both = setup_of(setups, point("A-1", "fast one", 50, 4));
  CHECK(both.name == "b");
  CHECK(both.rounds == 10);
  CHECK(both.sets == std::vector<std::string>{"cost.model=ideal"});
  CHECK(setup_of(setups, point("B-1", "slow", 100, 4)).bases.empty());
}

TEST_CASE("mistakes in a file of set-ups are errors") {
  CHECK_THROWS_AS(setups_of("version: 1\nsetups: [{name: a, wen: {id: A}}]\n"), ScenarioError);
  CHECK_THROWS_AS(setups_of("version: 1\nsetups: [{not_held: [tttf_ms], because: x}]\n"), ScenarioError);
  CHECK_THROWS_AS(setups_of("version: 1\nsetups: [{not_held: [ttft_ms]}]\n"), ScenarioError);
  CHECK_THROWS_AS(setups_of("- 1\n"), ScenarioError);
}

TEST_CASE("a row's scenario is its set-up's base under what the row states, and the user's sets above all") {
  ::setenv("DECODESIM_HOME", DECODESIM_SOURCE_DIR, 1);
  MeasuredPoint row = point("A-1", "", 1000, 4);
  row.model = "llama-3-70b";
  row.node = "hgx-h200";
  row.engine = "vllm-v1";
  row.kv_cache = "fp8";
  PointSetup setup;
  setup.shortest = 0.8;
  setup.rounds = 7;
  setup.clients_are_max_num_seqs = true;
  setup.sets = {"scheduler.max_num_seqs=99", "memory.utilization=0.8"};
  const auto variant = [&](const std::vector<std::string>& sets) {
    return point_variants(std::span(&row, 1), std::span(&setup, 1), {"", sets}).at(0);
  };
  const Variant plain = variant({});
  REQUIRE_MESSAGE(plain.scenario.has_value(), plain.objection);
  const Scenario& scenario = *plain.scenario;
  CHECK(scenario.model.name == "llama-3-70b");
  CHECK(scenario.hardware.name == "hgx-h200");
  CHECK(scenario.hardware.gpus == 4);
  CHECK(scenario.parallel.tp == 4);
  CHECK(scenario.scheduler.engine == "vllm-v1");
  CHECK(scenario.scheduler.async);  // as the preset says
  CHECK(scenario.scheduler.max_num_seqs == 4);
  CHECK(scenario.memory.utilization == 0.8);
  CHECK(scenario.workload.num_requests == 28);
  CHECK(scenario.workload.max_concurrency == 4);
  CHECK(scenario.workload.input_tokens.min == 800);
  CHECK(scenario.workload.input_tokens.max == 1000);
  CHECK(variant({"scheduler.max_num_seqs=3"}).scenario->scheduler.max_num_seqs == 3);
  row.num_requests = 5;
  row.load = LoadKind::all_at_once;
  CHECK(variant({}).scenario->workload.num_requests == 5);
  CHECK(!variant({}).scenario->workload.max_concurrency.has_value());
  row.engine.clear();
  CHECK(variant({}).objection.find("which engine") != std::string::npos);
}

TEST_CASE("the user's own mistakes are diagnostics that count the user's sets, not rows that are refused") {
  MeasuredPoint row = point("A-1", "", 1000, 4);
  row.model = "llama-3-70b";
  row.node = "hgx-h200";
  row.engine = "vllm-v1";
  const PointSetup setup;
  try {
    point_variants(std::span(&row, 1), std::span(&setup, 1), {"", {"run.seed=2", "cost.hot_time=1 ms"}});
    FAIL("a wrong path passed");
  } catch (const ScenarioError& error) {
    REQUIRE(error.diagnostics().size() == 1);
    CHECK(error.diagnostics()[0].file == "--set[2]");
    CHECK(error.diagnostics()[0].code == "unknown-key");
  }
}

TEST_CASE("every row of the published table has a set-up, and is a scenario that can be played") {
  const auto file = shared_file("data/measured/points.csv");
  if (!file) return;
  ::setenv("DECODESIM_HOME", DECODESIM_SOURCE_DIR, 1);
  const Setups setups = load_default_setups();
  const std::string name = file->string();
  const std::vector<MeasuredPoint> points = read_measurements(std::span(&name, 1), setups);
  std::size_t rows = 0;
  std::vector<PointSetup> own;
  std::map<std::string, std::size_t> rows_of;
  for (const MeasuredPoint& one : points) {
    own.push_back(setup_of(setups, one));
    rows += one.values.size();
    rows_of[own.back().name] += one.values.size();
    // TTFT and TPOT of one run are one simulation.
    if (one.id.starts_with("IMAX") || one.id.starts_with("AIC8B")) CHECK(one.values.size() == 2);
    if (one.id.starts_with("TRT014")) CHECK(own.back().num_requests >= 1000);
  }
  CHECK(rows == 906);
  CHECK(rows_of == std::map<std::string, std::size_t>{{"imax-trtllm", 36},
                                                      {"imax-vllm", 90},
                                                      {"trtllm-0.14", 384},
                                                      {"trtllm-0.16-tuning", 42},
                                                      {"trtllm-8b", 354}});
  for (const Variant& variant : point_variants(points, own, {}))
    CHECK_MESSAGE(variant.scenario.has_value(), variant.objection);
}

}  // namespace decodesim::tests
