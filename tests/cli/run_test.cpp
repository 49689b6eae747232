// The run command at its edges: exit codes, interruption, files.

#include <doctest/doctest.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/program.hpp"
#include "tests/support/temporary_folder.hpp"

namespace decodesim::tests {

namespace {

/// A server of four blocks and a request that needs five, with another behind it.
const std::string tiny = "tests/engine/scenarios/never-fits-hangs.yaml";

}  // namespace

TEST_CASE("a run that keeps its limits ends with 0, one that misses a limit with 3") {
  const std::string run = "run scenarios/chat-on-hgx-h100.yaml --json --set slo.ttft_p99=";
  CHECK(run_program(run + "'10 s'").exit_code == 0);
  const ProgramResult missed = run_program(run + "'1 ms'");
  CHECK(missed.exit_code == 3);
  CHECK(nlohmann::json::parse(missed.out).at("completed") > 0);
}

TEST_CASE("a run that the watchdog ends exits with 1, says who waits for what, and still reports") {
  const ProgramResult result = run_program("run " + tiny + " --json");
  CHECK(result.exit_code == 1);
  CHECK(result.err.find("X needs 5 blocks") != std::string::npos);
  const auto report = nlohmann::json::parse(result.out);
  CHECK(report.at("unfinished") == report.at("requests_in"));
}

TEST_CASE("a loop whose every request is refused at once is ended, since its clock stands still") {
  const TemporaryFolder folder;
  const std::string scenario =
      folder.write("s.yaml",
                   "version: 1\ncost: {model: fixed, step: 1 s}\nmemory: {num_gpu_blocks: 11}\n"
                   "workload: {duration: 5 s, max_concurrency: 2, input_tokens: 5k, output_tokens: 2}\n");
  const ProgramResult result = run_program("run " + scenario);
  CHECK(result.exit_code == 1);
  CHECK(result.err.find("the clock stands still") != std::string::npos);
  CHECK(result.out.find("state workload.num_requests or workload.think_time") != std::string::npos);
  // With a think time the clock goes on, and with a number the loop ends.
  CHECK(run_program("run " + scenario + " --set workload.think_time='1 s'").exit_code == 0);
  CHECK(run_program("run " + scenario + " --set workload.num_requests=2000").exit_code == 0);
}

TEST_CASE("where a request never starts though its tokens would fit, the watchdog says that the engine asks for more") {
  const ProgramResult result = run_program("run " + tiny + " --json --set scheduler.admission=prompt-and-max " +
                                           "--set 'workload.requests=[{input_tokens: 4, output_tokens: 90}]'");
  CHECK(result.exit_code == 1);
  CHECK(result.err.find("but the engine asks for more than that before it starts it") != std::string::npos);
}

TEST_CASE("an interrupted run exits with 130 and reports what it had") {
  // Endless enough that the signal finds it at work; `timeout` stands for Ctrl-C.
  const ProgramResult result =
      run_program("run scenarios/context-gap.yaml --case 4k --json --set workload.num_requests=100000000",
                  "timeout --preserve-status -s INT 1");
  CHECK(result.exit_code == 130);
  const auto report = nlohmann::json::parse(result.out);
  CHECK(report.at("interrupted") == true);
  CHECK(report.at("completed") > 0);
  CHECK(report.at("unfinished") > 0);
  const std::int64_t accounted =
      report.at("completed").get<std::int64_t>() + report.at("unfinished").get<std::int64_t>();
  CHECK(accounted == report.at("requests_in").get<std::int64_t>());
}

TEST_CASE("an oracle is told once on stderr, and in the summary of each case that has it") {
  const auto times = [](const std::string& text, const std::string& part) {
    int count = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
    return count;
  };
  const ProgramResult one = run_program("run chat-on-hgx-h100 --set scheduler.queue_order=sjf");
  CHECK(times(one.err, "oracle") == 1);
  CHECK(one.err.find("the scheduler is an oracle: it knows how many tokens each request will generate, exactly, as no "
                     "real server can\n") != std::string::npos);
  CHECK(times(one.out, "knows how many tokens each request will generate, exactly\n") == 1);
  // Four cases with one cost model, of which the first and the last know nothing.
  const ProgramResult four = run_program("run paging-against-reservation --set workload.num_requests=20");
  CHECK(times(four.err, "oracle") == 2);
  CHECK(times(four.out, "\nOracle ") == 2);
  CHECK(times(four.out, "knows the final length that it reserves memory for\n") == 1);
}

TEST_CASE("a file that cannot be written is an error, and nothing is left behind") {
  const ProgramResult result =
      run_program("run scenarios/chat-on-hgx-h100.yaml --requests-csv /nonexistent/folder/r.csv");
  CHECK(result.exit_code == 1);
  CHECK(result.err.find("/nonexistent/folder/r.csv") != std::string::npos);
}

TEST_CASE("what was swapped adds up: over classes in the document, over requests in their table") {
  const std::string stem =
      (std::filesystem::temp_directory_path() / ("decodesim-swaps-" + std::to_string(::getpid()))).string();
  std::ofstream scenario(stem + ".yaml");
  scenario << "version: 1\nmodel: llama-3-8b\nhardware: {node: hgx-h100}\nparallel: {tp: 8}\ncost: {model: roofline}\n"
              "scheduler: {engine: vllm-v0, preemption_mode: swap, max_model_len: 1000}\n"
              "memory: {num_gpu_blocks: 50, host_link: {overlap: step, bandwidth: 1 GB/s}}\nworkload:\n  requests:\n";
  for (int i = 0; i < 16; ++i) {
    scenario << "    - {input_tokens: " << 200 + 13 * i << ", output_tokens: " << 60 + 7 * i
             << ", slo_class: " << (i % 3 == 0 ? "chat" : "batch") << "}\n";
  }
  scenario.close();
  const ProgramResult result = run_program("run " + stem + ".yaml --json --requests-csv " + stem + ".csv");
  REQUIRE(result.exit_code == 0);
  const auto report = nlohmann::json::parse(result.out);
  const auto& run = report.at("evictions");
  const auto& transfers = report.at("transfers");
  REQUIRE(run.at("by_fate").at("swapped") > 3);
  CHECK(run.at("swapped_out_bytes") == transfers.at("out_bytes"));
  CHECK(run.at("swapped_in_bytes") == transfers.at("in_bytes"));
  const auto nanoseconds = [](const nlohmann::json& seconds) { return std::llround(seconds.get<double>() * 1e9); };
  for (const std::string part : {"time_s", "waited_s", "overlapped_s"}) {
    CAPTURE(part);
    const std::int64_t all = nanoseconds(transfers.at(part));
    CHECK(all > 0);
    CHECK(nanoseconds(run.at("transfer_" + part)) + nanoseconds(transfers.at("host_cache").at(part)) == all);
    std::int64_t sum = 0;
    for (const auto& one : run.at("classes")) sum += nanoseconds(one.at("transfer_" + part));
    CHECK(sum == nanoseconds(run.at("transfer_" + part)));
  }
  CHECK(run.at("classes").size() == 2);
  for (const std::string part : {"swapped_out_bytes", "swapped_in_bytes"}) {
    double sum = 0;
    for (const auto& one : run.at("classes")) sum += one.at(part).get<double>();
    CHECK(sum == run.at(part));
  }
  CHECK(nanoseconds(report.at("ledger").at("hidden_transfer_seconds")) == nanoseconds(transfers.at("overlapped_s")));
  CHECK(nanoseconds(report.at("ledger").at("seconds").at("transfers")) == nanoseconds(transfers.at("waited_s")));

  // The last cells of each row: bytes out and in, milliseconds in all and waited; loads and their milliseconds; the SLO,
  // the session and the turn.
  std::ifstream table(stem + ".csv");
  std::array<double, 6> sums{};
  std::string row;
  std::getline(table, row);
  CHECK(row.ends_with(
      ",swapped_out_bytes,swapped_in_bytes,transfer_ms,transfer_waited_ms,loads,load_ms,slo,session,turn"));
  while (std::getline(table, row)) {
    for (int after = 0; after < 3; ++after) row.resize(row.rfind(','));
    for (std::size_t i = sums.size(); i-- > 0; row.resize(row.rfind(','))) {
      const std::string cell = row.substr(row.rfind(',') + 1);
      if (!cell.empty()) sums[i] += std::stod(cell);
    }
  }
  CHECK(sums[0] == run.at("swapped_out_bytes"));
  CHECK(sums[1] == run.at("swapped_in_bytes"));
  CHECK(std::llround(sums[2] * 1e6) == nanoseconds(run.at("transfer_time_s")));
  CHECK(std::llround(sums[3] * 1e6) == nanoseconds(run.at("transfer_waited_s")));
  CHECK(sums[4] == 0);
  const ProgramResult text = run_program("run " + stem + ".yaml");
  CHECK(text.out.find(" beside steps; steps waited ") != std::string::npos);
  CHECK(text.out.find("\n  transfers, beside") != std::string::npos);
  for (const char* ending : {".yaml", ".csv"}) std::filesystem::remove(stem + ending);
}

TEST_CASE("a missing scenario file exits with 1 and an unknown option with 2, each named") {
  const ProgramResult missing = run_program("run no-such-file.yaml");
  CHECK(missing.exit_code == 1);
  CHECK(missing.err.find("no-such-file.yaml") != std::string::npos);
  const ProgramResult unknown = run_program("run scenarios/context-gap.yaml --jsn");
  CHECK(unknown.exit_code == 2);
  CHECK(unknown.err.find("--json") != std::string::npos);
}

TEST_CASE("output files of several cases at once are refused, since each holds one run") {
  const ProgramResult result = run_program("run scenarios/context-gap.yaml --requests-csv r.csv");
  CHECK(result.exit_code == 2);
  CHECK(result.err.find("--case 4k") != std::string::npos);
}

TEST_CASE("a deployment whose weights do not fit is an error that names what to change") {
  const ProgramResult result =
      run_program("run scenarios/chat-on-hgx-h100.yaml --set parallel.tp=1 --set hardware.gpus=1");
  CHECK(result.exit_code == 2);
  CHECK(result.err.find("does-not-fit") != std::string::npos);
}

TEST_CASE("a run whose clock would pass a hundred years ends with 1 and says so") {
  const ProgramResult result =
      run_program("run " + tiny + " --json --set scheduler.never_fits=reject --set 'cost.step=24 h'" +
                  " --set memory.num_gpu_blocks=1000000 --set scheduler.max_model_len=1000000 --set "
                  "workload.requests='[{input_tokens: 4, output_tokens: 40000}]'");
  CHECK(result.exit_code == 1);
  CHECK(result.err.find("100 years") != std::string::npos);
  const auto report = nlohmann::json::parse(result.out);
  CHECK(report.at("unfinished") == 1);
}

TEST_CASE("a run that only turns requests away can be interrupted too") {
  const ProgramResult result = run_program(
      "run scenarios/context-gap.yaml --case 4k --json --set workload.input_tokens=200k --set "
      "workload.num_requests=1000000000",
      "timeout --preserve-status -s INT -k 9 1");
  CHECK(result.exit_code == 130);
  CHECK(nlohmann::json::parse(result.out).at("rejected") > 0);
}

TEST_CASE("a polite kill keeps partial results, as Ctrl-C does") {
  const ProgramResult result =
      run_program("run scenarios/context-gap.yaml --case 4k --json --set workload.num_requests=100000000",
                  "timeout --preserve-status -s TERM -k 9 1");
  CHECK(result.exit_code == 130);
  CHECK(nlohmann::json::parse(result.out).at("interrupted") == true);
}

TEST_CASE("an output never replaces an input, nor another output") {
  const std::string before = file_text(std::string(DECODESIM_SOURCE_DIR) + "/" + tiny);
  const ProgramResult scenario = run_program("run " + tiny + " --requests-csv ./" + tiny);
  CHECK(scenario.exit_code == 2);
  CHECK(file_text(std::string(DECODESIM_SOURCE_DIR) + "/" + tiny) == before);
  CHECK(run_program("run scenarios/chat-on-hgx-h100.yaml --requests-csv workloads/requests/chat.yaml").exit_code == 2);
  CHECK(run_program("run " + tiny + " --requests-csv same --schedule-jsonl same").exit_code == 2);
  CHECK(run_program("run " + tiny + " --requests-csv same --schedule-jsonl ./same").exit_code == 2);
}

TEST_CASE("no file that a scenario is made of is replaced by its results") {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / ("inputs." + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  const std::string base = (folder / "base.yaml").string();
  std::ofstream(base) << "version: 1\n";
  std::ofstream(folder / "top.yaml") << "base: base.yaml\nmodel: llama-3.1-8b\nhardware: {node: hgx-h100, gpus: 1}\n"
                                     << "workload: {requests: [{input_tokens: 5, output_tokens: 2}]}\n";
  const std::string run = "run " + (folder / "top.yaml").string();
  for (const char* output : {"--requests-csv ", "--schedule-jsonl "}) {
    CHECK(run_program(run + " " + output + base).exit_code == 2);
    CHECK(run_program(run + " " + output + "hardware/nodes/hgx-h100.yaml").exit_code == 2);
    CHECK(run_program("run context-gap --case 4k " + std::string(output) + "scenarios/context-gap.yaml").exit_code ==
          2);
  }
  CHECK(file_text(base) == "version: 1\n");
  CHECK(run_program(run + " --requests-csv " + (folder / "new.csv").string()).exit_code == 0);
  std::filesystem::remove_all(folder);
}

TEST_CASE("a result that cannot be written to standard output is a failure in every command") {
  for (const std::string command :
       {"run scenarios/chat-on-hgx-h100.yaml --json", "explain scenarios/context-gap.yaml", "list gpus",
        "show h100-sxm", "schema", "check scenarios/context-gap.yaml --json", "--help"}) {
    CAPTURE(command);
    const ProgramResult result = run_program(command, "sh -c 'exec \"$@\" > /dev/full' sh");
    CHECK(result.exit_code == 1);
    CHECK(result.err.find("standard output") != std::string::npos);
  }
}

}  // namespace decodesim::tests
