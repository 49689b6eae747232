// The sweep command at its edges: exit codes, interruption, what goes where.

#include <doctest/doctest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/program.hpp"
#include "tests/support/temporary_folder.hpp"

namespace decodesim::tests {

namespace {

const std::string chat = "sweep scenarios/chat-on-hgx-h100.yaml --sweep scheduler.max_num_seqs=8,64";

}  // namespace

TEST_CASE("sweep prints a table, or with --json one document, on stdout, and a line a point into --csv") {
  const ProgramResult table = run_program(chat);
  CHECK(table.exit_code == 0);
  CHECK(table.err.empty());
  CHECK(table.out.find("TTFT p99 ms") != std::string::npos);
  const TemporaryFolder folder;
  const std::string csv = (folder.path() / "points.csv").string();
  const ProgramResult document = run_program(chat + " --json --jobs 2 --csv " + csv);
  CHECK(document.exit_code == 0);
  CHECK(document.err.empty());
  const auto json = nlohmann::json::parse(document.out);
  REQUIRE(json.at("points").size() == 2);
  CHECK(json.at("points").at(1).at("values").at(0) == "64");
  CHECK(json.at("points").at(1).at("status") == "done");
  const std::string lines = file_text(csv);
  CHECK(lines.starts_with("point,case,scheduler.max_num_seqs,hash,seed,status,why,gpus,"));
  CHECK(lines.find("\n2,,64," + json.at("points").at(1).at("hash").get<std::string>() + ",1,done,,8,") !=
        std::string::npos);
}

TEST_CASE("a point has the figures and the hash that run gives of it") {
  const auto swept = nlohmann::json::parse(run_program(chat + " --json").out).at("points").at(0);
  const auto run = nlohmann::json::parse(
      run_program("run scenarios/chat-on-hgx-h100.yaml --set scheduler.max_num_seqs=8 --json").out);
  for (const char* key : {"output_throughput", "request_throughput", "request_goodput", "median_ttft_ms", "p99_ttft_ms",
                          "median_tpot_ms", "p99_tpot_ms", "requests_in", "completed", "rejected", "cancelled"}) {
    CAPTURE(key);
    CHECK(swept.at(key) == run.at(key));
  }
}

TEST_CASE("sweep --list shows the points of a scenario and plays none") {
  const ProgramResult list = run_program("sweep context-lengths --list");
  CHECK(list.exit_code == 0);
  CHECK(list.out.find("128k") != std::string::npos);
  CHECK(list.out.find("infeasible: the pool has") != std::string::npos);
  const auto json = nlohmann::json::parse(run_program("sweep context-lengths --list --json").out);
  REQUIRE(json.at("points").size() == 18);
  CHECK(json.at("points").at(0).at("status") == "infeasible");
  CHECK(json.at("points").at(1).at("status") == "not_played");
  CHECK(json.at("points").at(1).at("completed").is_null());
}

TEST_CASE("a case of a scenario can be swept alone") {
  const std::string command = "sweep context-gap --list --sweep precision.kv_cache=bf16,fp8 --case ";
  const ProgramResult one = run_program(command + "32k");
  CHECK(one.exit_code == 0);
  CHECK(one.out.find("32k") != std::string::npos);
  CHECK(one.out.find("128k") == std::string::npos);
  CHECK(run_program(command + "33k").exit_code == 2);
}

TEST_CASE("what does not fit is a row and exit code 0; where nothing can be played it is 1") {
  const std::string large = "sweep chat-on-hgx-h100 --sweep parallel.tp=";
  const ProgramResult some = run_program(large + "1,8");
  CHECK(some.exit_code == 0);
  CHECK(some.out.find("point 1 infeasible: ") != std::string::npos);
  const ProgramResult none = run_program(large + "1");
  CHECK(none.exit_code == 1);
  CHECK(none.out.find("infeasible") != std::string::npos);
  CHECK(none.err.find("no point of the sweep") != std::string::npos);
}

TEST_CASE("mistakes of a sweep exit with 2 and say what to write") {
  for (const char* arguments :
       {"sweep", "sweep chat-on-hgx-h100", "sweep chat-on-hgx-h100 context-gap",
        "sweep chat-on-hgx-h100 --sweep parallel.tp", "sweep chat-on-hgx-h100 --sweep parallel.tb=1,2",
        "sweep chat-on-hgx-h100 --sweep parallel.tp=", "sweep chat-on-hgx-h100 --sweep parallel.tp=1,1",
        "sweep chat-on-hgx-h100 --sweep parallel.tp=1:x:2",
        "sweep chat-on-hgx-h100 --sweep parallel.tp=1,2 --sweep parallel.tp=4", "sweep chat-on-hgx-h100 --jobs 0",
        "sweep chat-on-hgx-h100 --case a --sweep parallel.tp=8", "run chat-on-hgx-h100 --set sweep=1"}) {
    CAPTURE(arguments);
    const ProgramResult result = run_program(arguments);
    CHECK(result.exit_code == 2);
    CHECK(result.out.empty());
    CHECK(result.err.find("error") != std::string::npos);
    CHECK(result.err.find("help: ") != std::string::npos);
  }
  CHECK(run_program("sweep no-such-file.yaml --sweep parallel.tp=1").exit_code == 1);
}

TEST_CASE("an interrupted sweep exits with 130 and is still one document") {
  const ProgramResult result = run_program(
      "sweep context-gap --case 4k --json --jobs 2 --sweep run.seed=1,2,3,4 --set workload.num_requests=100000000",
      "timeout --preserve-status -s INT 1");
  CHECK(result.exit_code == 130);
  const auto json = nlohmann::json::parse(result.out);
  CHECK(json.at("interrupted") == true);
  CHECK(json.at("points").at(0).at("status") == "not_played");
}

}  // namespace decodesim::tests
