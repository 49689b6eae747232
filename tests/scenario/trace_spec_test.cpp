// A trace as a scenario names it, and how it is to be read.

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "sim/scenario/load.hpp"
#include "tests/scenario/loading.hpp"

namespace decodesim::tests {

namespace {

const std::string server = "version: 1\ncost: {model: fixed, step: 1 s}\nmemory: {num_gpu_blocks: 11}\n";

/// A folder with a trace and a scenario of it.
class Traced {
 public:
  explicit Traced(const std::string& workload) {
    folder_.write("t.csv", "arrival_s,input_tokens,output_tokens\n0,1,1\n");
    folder_.write("s.yaml", server + workload);
  }
  [[nodiscard]] Loaded load(const std::vector<std::string>& sets = {}) const { return folder_.load("s.yaml", sets); }
  [[nodiscard]] std::string file() const { return (folder_.path() / "t.csv").string(); }
  [[nodiscard]] TraceSpec spec(const std::vector<std::string>& sets = {}) const {
    const Loaded loaded = load(sets);
    INFO(diagnostics_text(loaded.diagnostics));
    REQUIRE(loaded.scenarios.size() == 1);
    CHECK(loaded.scenarios[0].workload.kind == WorkloadKind::trace);
    return loaded.scenarios[0].workload.trace;
  }
  [[nodiscard]] const Folder& folder() const { return folder_; }

 private:
  Folder folder_;
};

bool same_file(const std::string& a, const std::string& b) { return std::filesystem::equivalent(a, b); }

}  // namespace

TEST_CASE("a trace is named by its file alone, by a mapping, or by --set") {
  const Traced alone("workload: {trace: t.csv}\n");
  CHECK(same_file(alone.spec().file, alone.file()));
  CHECK(alone.spec().format == TraceFormat::told);
  const Traced mapping("workload: {trace: {file: t.csv, format: vidur}}\n");
  CHECK(same_file(mapping.spec().file, mapping.file()));
  CHECK(mapping.spec().format == TraceFormat::vidur);
  const Traced generated("workload: {num_requests: 3, max_concurrency: 2, input_tokens: 5, output_tokens: 2}\n");
  CHECK(same_file(generated.spec({"workload.trace=" + generated.file()}).file, generated.file()));
}

TEST_CASE(
    "a resolved scenario says no more of a trace than its file where no more was said, and nothing where none is") {
  const Traced alone("workload: {trace: t.csv}\n");
  const std::string text = scenario_text(alone.load().scenarios.at(0));
  CAPTURE(text);
  const std::size_t trace = text.find("\n  trace: ");
  REQUIRE(trace != std::string::npos);
  CHECK(text.substr(trace + 1, text.find('\n', trace + 1) - trace - 1).find("t.csv") != std::string::npos);
  CHECK(text.find("backward_time") == std::string::npos);
  CHECK(scenario_text(load_one(small_scenario)).find("trace:") == std::string::npos);
}

TEST_CASE("--set adds to what a file says of its trace") {
  for (const char* workload : {"workload: {trace: t.csv}\n", "workload: {trace: {file: t.csv, zero_output: drop}}\n"}) {
    const Traced traced(workload);
    const TraceSpec spec = traced.spec({"workload.trace.format=azure", "workload.trace.max_requests=7"});
    CHECK(same_file(spec.file, traced.file()));
    CHECK(spec.format == TraceFormat::azure);
    CHECK(spec.max_requests == 7);
  }
}

TEST_CASE("a file alone does not silently drop what a mapping says of a trace: who lays it over says which is meant") {
  const Traced window("workload: {trace: {file: t.csv, format: decodesim, start: 2 s, rate_scale: 4}}\n");
  window.folder().write("u.csv", "arrival_s,input_tokens,output_tokens\n0,2,2\n");
  const std::string other = (window.folder().path() / "u.csv").string();
  const Loaded dropped = window.load({"workload.trace=" + other});
  CHECK(dropped.scenarios.empty());
  REQUIRE(dropped.diagnostics.size() == 1);
  CHECK(dropped.diagnostics[0].code == "settings-dropped");
  CHECK(dropped.diagnostics[0].file == "--set[1]");
  CHECK(dropped.diagnostics[0].message ==
        "'workload.trace' says more than its file, 'format', 'start', 'rate_scale', which a file alone would drop");
  CHECK(dropped.diagnostics[0].help == "'--set workload.trace.file=" + other +
                                           "' keeps that; '--set workload.trace=null --set workload.trace=" + other +
                                           "' drops it");
  const TraceSpec kept = window.spec({"workload.trace.file=" + other});
  CHECK(same_file(kept.file, other));
  CHECK(kept.rate_scale == 4);
  const TraceSpec fresh = window.spec({"workload.trace=null", "workload.trace=" + other});
  CHECK(same_file(fresh.file, other));
  CHECK(fresh.rate_scale == 1);
  // Where nothing is lost, the file takes the other's place.
  const Traced alone("workload: {trace: {file: t.csv}}\n");
  alone.folder().write("u.csv", "arrival_s,input_tokens,output_tokens\n0,2,2\n");
  CHECK(alone.spec({"workload.trace=" + (alone.folder().path() / "u.csv").string()}).file.ends_with("u.csv"));
}

TEST_CASE("a case or a file above another does not drop what is said of a trace below either") {
  const std::string mapping = "workload: {trace: {file: t.csv, start: 2 s}}\n";
  const Loaded cases = Traced(mapping + "cases: {a: {workload: {trace: u.csv}}}\n").load();
  CHECK(cases.scenarios.empty());
  REQUIRE_FALSE(cases.diagnostics.empty());
  CHECK(cases.diagnostics[0].code == "settings-dropped");
  CHECK(cases.diagnostics[0].line == 5);
  CHECK(cases.diagnostics[0].help == "'trace: {file: u.csv}' keeps that; 'trace: {file: u.csv, start: null}' drops it");
  const Traced based(mapping);
  based.folder().write("above.yaml", "base: s.yaml\nworkload: {trace: u.csv}\n");
  const Loaded above = based.folder().load("above.yaml", {});
  REQUIRE_FALSE(above.diagnostics.empty());
  CHECK(above.diagnostics[0].code == "settings-dropped");
}

TEST_CASE("all that may be said of a trace is read, and reads back from the resolved scenario") {
  const Traced all(
      "workload: {trace: {file: t.csv, format: csv, time_unit: ms, columns: {arrival: a, input_tokens: i, "
      "output_tokens: "
      "o, tenant: t}, zero_input: clip, zero_output: drop, over_context: clip, backward_time: segment, spread: "
      "uniform, "
      "start: 2 s, duration: 1 h, max_requests: 500, time_scale: 2, rate_scale: 4}}\n");
  const Traced ids("workload: {trace: {file: t.csv, format: qwen-bailian, block_size: 32, wrong_id_count: drop}}\n");
  const TraceSpec spec = all.spec();
  CHECK(spec.time_unit == TimeUnit::ms);
  CHECK(spec.columns.input_tokens == "i");
  CHECK(spec.zero_input == RowPolicy::clip);
  CHECK(spec.zero_output == RowPolicy::drop);
  CHECK(spec.over_context == RowPolicy::clip);
  CHECK(spec.backward_time == BackwardPolicy::segment);
  CHECK(spec.spread == SpreadPolicy::uniform);
  CHECK(spec.start == Duration(2'000'000'000));
  CHECK(spec.duration == Duration(3'600'000'000'000));
  CHECK(spec.max_requests == 500);
  CHECK(spec.time_scale == 2);
  CHECK(spec.rate_scale == 4);
  CHECK(ids.spec().block_size == 32);
  CHECK(ids.spec().wrong_id_count == RowPolicy::drop);
  for (const Traced* traced : {&all, &ids}) {
    const std::string text = scenario_text(traced->load().scenarios.at(0));
    CAPTURE(text);
    const Loaded again = load_text(text);
    INFO(diagnostics_text(again.diagnostics));
    REQUIRE(again.scenarios.size() == 1);
    CHECK(scenario_text(again.scenarios[0]) == text);
    const TraceSpec& read = again.scenarios[0].workload.trace;
    const TraceSpec written = traced->spec();
    CHECK(read.format == written.format);
    CHECK(read.time_unit == written.time_unit);
    CHECK(read.block_size == written.block_size);
    CHECK(read.columns.tenant == written.columns.tenant);
    CHECK(read.zero_output == written.zero_output);
    CHECK(read.wrong_id_count == written.wrong_id_count);
    CHECK(read.backward_time == written.backward_time);
    CHECK(read.duration == written.duration);
    CHECK(read.rate_scale == written.rate_scale);
  }
}

TEST_CASE("what is wrong with how a trace is to be read is told at its place") {
  struct Wrong {
    std::string trace;
    std::string part;  // where the caret stands
    std::string code;
  };
  for (const Wrong& wrong : {
           Wrong{"{file: t.csv, format: azur}", "azur}", "unknown-value"},
           Wrong{"{file: t.csv, zero_input: keep}", "keep}", "unknown-value"},
           Wrong{"{file: t.csv, wrong_id_count: keep}", "keep}", "unknown-value"},
           Wrong{"{file: t.csv, zero_inputs: drop}", "zero_inputs", "unknown-key"},
           Wrong{"{file: t.csv, time_scale: 0}", "0}", "out-of-range"},
           Wrong{"{file: t.csv, max_requests: 0}", "0}", "out-of-range"},
           Wrong{"{file: t.csv, format: azure, block_size: 16}", "block_size", "no-effect"},
           Wrong{"{file: t.csv, format: burstgpt, wrong_id_count: drop}", "wrong_id_count", "no-effect"},
           Wrong{"{file: t.csv, format: azure, time_unit: ms}", "time_unit", "no-effect"},
           Wrong{"{file: t.csv, columns: {input_tokens: i, output_tokens: o}}", "columns", "no-effect"},
       }) {
    const std::string workload = "workload: {trace: " + wrong.trace + "}\n";
    const Loaded loaded = Traced(workload).load();
    CAPTURE(workload);
    INFO(diagnostics_text(loaded.diagnostics));
    CHECK(loaded.scenarios.empty());
    REQUIRE_FALSE(loaded.diagnostics.empty());
    CHECK(loaded.diagnostics[0].code == wrong.code);
    CHECK(loaded.diagnostics[0].line == 4);
    CHECK(loaded.diagnostics[0].column == static_cast<int>(workload.find(wrong.part)) + 1);
  }
}

}  // namespace decodesim::tests
