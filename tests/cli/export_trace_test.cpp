// What a run asked for, written out and played again.

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/program.hpp"
#include "tests/support/temporary_folder.hpp"

namespace decodesim::tests {

namespace {

const std::string server =
    "version: 1\nmodel: llama-3-8b\nhardware: {node: hgx-h100, gpus: 1}\nparallel: {tp: 1}\n"
    "scheduler: {engine: vllm-v1}\nmemory: {prefix_caching: true, num_gpu_blocks: 3000}\ncost: {model: roofline}\n";

/// A workload of each kind that a trace has to carry over.
const std::vector<std::string> workloads{
    "{num_requests: 80, arrival: {process: gamma, request_rate: 9 req/s, cv: 3}, input_tokens: {distribution: "
    "lognormal, "
    "median: 300, p99: 3000, min: 64, max: 4000}, output_tokens: {distribution: exponential, mean: 90, min: 1, max: "
    "400}, "
    "prefix_groups: {groups: 3, tokens_included: 64, share: 50 %, zipf: 1}, deadline: 4 s, priority: 2}",
    "{num_requests: 80, max_concurrency: 12, think_time: {distribution: exponential, mean: 1 s}, output_tokens: 60, "
    "clients: [{name: a, share: 2, input_tokens: 500, timeout: 900 ms, tenant: t}, {name: b, share: 1, input_tokens: "
    "90, "
    "cancel: {share: 50 %, after: 200 ms}}]}",
    "{num_requests: 60, duration: 20 s, max_concurrency: 5, input_tokens: 200, output_tokens: 50, sessions: {turns: "
    "{distribution: "
    "uniform, "
    "min: 1, max: 5}, think_time: 500 ms}}",
    "{num_requests: 90, arrival: {process: poisson, request_rate: 2 req/s}, input_tokens: 200, output_tokens: 50, "
    "prefix_groups: {groups: 2, tokens_added: 100}, sessions: {turns: 4, think_time: 1 s}}",
    "{requests: [{input_tokens: 900, output_tokens: 20, hash_ids: [1, 2, 3], hash_block_size: 256}, {arrival: 1 s, "
    "input_tokens: 700, output_tokens: 9, max_tokens: 40, hash_ids: [1, 2], hash_block_size: 256, id: x}]}",
};

/// A report without what says where its requests came from: how they are made has defaults too.
nlohmann::json results(const std::string& out) {
  auto document = nlohmann::json::parse(out);
  document.erase("trace");
  document.erase("warnings");
  document.erase("defaults_used");
  document.at("scenario").erase("hash");
  return document;
}

}  // namespace

TEST_CASE("a workload that is written out as a trace gives the same results again") {
  for (const std::string& workload : workloads) {
    CAPTURE(workload);
    const TemporaryFolder folder;
    const std::string scenario = folder.write("s.yaml", server + "workload: " + workload + "\n");
    const std::string trace = folder / "t.yaml";
    const ProgramResult first = run_program("run " + scenario + " --json --export-trace " + trace);
    REQUIRE(first.exit_code == 0);
    const ProgramResult again = run_program("run " + scenario + " --json --set workload.trace=" + trace);
    REQUIRE(again.exit_code == 0);
    const auto expected = results(first.out);
    CHECK(expected.at("completed") > 0);
    CHECK(results(again.out) == expected);
  }
}

TEST_CASE("turns that come at times of their own are written where they stood") {
  const TemporaryFolder folder;
  const std::string rows = folder.write(
      "rows.csv",
      "arrival_s,input_tokens,output_tokens,session,think_time_s\n0,100,10,a,0\n1,50,5,,0\n2,300,10,a,0.5\n"
      "3,60,5,b,0\n4,70,5,,0\n,400,9,a,0.25\n5,200,9,b,1\n");
  const std::string scenario = folder.write("s.yaml", server + "workload: {trace: rows.csv}\n");
  const std::string trace = folder / "t.yaml";
  const ProgramResult first = run_program("run " + scenario + " --json --export-trace " + trace);
  CAPTURE(first.err);
  REQUIRE(first.exit_code == 0);
  const ProgramResult again = run_program("run " + scenario + " --json --set workload.trace=" + trace);
  REQUIRE(again.exit_code == 0);
  CHECK(results(first.out).at("completed") == 7);
  CHECK(results(again.out) == results(first.out));
  const ProgramResult third = run_program("run " + scenario + " --json --set workload.trace=" + trace +
                                          " --export-trace " + (folder / "t2.yaml"));
  REQUIRE(third.exit_code == 0);
  CHECK(file_text(folder / "t2.yaml") == file_text(trace));
}

TEST_CASE("requests that come by themselves are written as plain CSV too, a closed loop is not") {
  const TemporaryFolder folder;
  const std::string scenario = folder.write("s.yaml", server + "workload: " + workloads[0] + "\n");
  const std::string trace = folder / "t.csv";
  const ProgramResult first = run_program("run " + scenario + " --json --export-trace " + trace);
  REQUIRE(first.exit_code == 0);
  CHECK(file_text(trace).starts_with("arrival_s,"));
  const ProgramResult again = run_program("run " + scenario + " --json --set workload.trace=" + trace);
  CHECK(results(again.out) == results(first.out));

  const std::string loop = folder.write("loop.yaml", server + "workload: " + workloads[1] + "\n");
  const ProgramResult refused = run_program("run " + loop + " --export-trace " + (folder / "loop.csv"));
  CHECK(refused.exit_code != 0);
  CHECK(refused.err.find("max_concurrency") != std::string::npos);
  CHECK(file_text(folder / "loop.csv").empty());
}

TEST_CASE("a closed loop that only a duration ends is not listed, since its requests are as many as are answered") {
  const TemporaryFolder folder;
  const std::string scenario = folder.write(
      "s.yaml", server + "workload: {duration: 1 s, max_concurrency: 2, input_tokens: 10, output_tokens: 5}\n");
  CHECK(run_program("run " + scenario).exit_code == 0);
  for (const std::string& command :
       {"run " + scenario + " --export-trace " + (folder / "t.yaml"), "describe --scenario " + scenario}) {
    const ProgramResult refused = run_program(command);
    CHECK(refused.exit_code == 2);
    CHECK(refused.err.find("state workload.num_requests") != std::string::npos);
  }
}

}  // namespace decodesim::tests
