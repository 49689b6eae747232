// The compare command at its edges: exit codes, interruption, what goes where.

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/program.hpp"

namespace decodesim::tests {

namespace {

const std::string chat = "compare scenarios/chat-on-hgx-h100.yaml --vary scheduler.max_num_seqs=8,64 --seeds 2";
const std::string tiny = "compare tests/engine/scenarios/never-fits-hangs.yaml --vary scheduler.";

}  // namespace

TEST_CASE("compare prints a table, or with --json one document of the same numbers, on stdout") {
  const ProgramResult table = run_program(chat);
  CHECK(table.exit_code == 0);
  CHECK(table.err.empty());
  CHECK(table.out.find("max_num_seqs=64") != std::string::npos);
  CHECK(table.out.find("95 % confidence interval") != std::string::npos);
  const ProgramResult document = run_program(chat + " --json --jobs 2");
  CHECK(document.exit_code == 0);
  const auto json = nlohmann::json::parse(document.out);
  CHECK(json.at("variants").size() == 2);
  CHECK(json.at("variants").at(0).at("runs").size() == 2);
}

TEST_CASE("compare tells oracles once on stderr, beside its table and its document") {
  const std::string command = "compare chat-on-hgx-h100 --seeds 2 --vary scheduler.queue_order=fcfs,sjf ";
  const std::string knows = "it knows how many tokens each request will generate, exactly, as no real server can\n";
  for (const char* form : {"", "--json"}) {
    const ProgramResult result = run_program(command + form);
    CHECK(result.exit_code == 0);
    const std::size_t first = result.err.find(knows);
    REQUIRE(first != std::string::npos);
    CHECK(result.err.find(knows, first + 1) == std::string::npos);
    CHECK(result.out.find("how many tokens each request will generate, exactly") != std::string::npos);
  }
}

TEST_CASE("compare exits with 4 where a limit of --fail-above is broken, and names metric and variant") {
  const std::string slow = "compare scenarios/chat-on-hgx-h100.yaml --seeds 1 --vary scheduler.max_num_seqs=64,8";
  const ProgramResult worse = run_program(slow + " --fail-above mean_ttft_ms=5%");
  CHECK(worse.exit_code == 4);
  CHECK(worse.err.find("mean_ttft_ms of max_num_seqs=8") != std::string::npos);
  CHECK(run_program(chat + " --fail-above mean_ttft_ms=5%").exit_code == 0);
}

TEST_CASE("a variant that hangs is a column; where none can run the exit code is 1, where none loads 2") {
  const ProgramResult one = run_program(tiny + "never_fits=hang,reject");
  CHECK(one.exit_code == 0);
  CHECK(one.out.find("cannot run: seed 1: the watchdog") != std::string::npos);
  CHECK(run_program(tiny + "watermark=0,0.1").exit_code == 1);
  const ProgramResult wrong = run_program(tiny + "never_fits=hng,rejct");
  CHECK(wrong.exit_code == 2);
  CHECK(wrong.out.empty());
  CHECK(wrong.err.find("did you mean 'hang'") != std::string::npos);
  CHECK(run_program("compare nowhere.yaml no-such-file.yaml").exit_code == 1);
}

TEST_CASE("mistakes of the command line exit with 2 and say what to write") {
  for (const char* arguments :
       {"compare", "compare context-gap --case 4k", "compare chat-on-hgx-h100",
        "compare chat-on-hgx-h100 --vary scheduler.max_num_seqs", "compare chat-on-hgx-h100 --vary run.seed=1,2",
        "compare context-gap --seeds 0", "compare context-gap --seeds x", "compare context-gap --jobs -1",
        "compare context-gap --fail-above p99_ttft_m=5%", "compare context-gap --fail-above p99_ttft_ms=5"}) {
    CAPTURE(arguments);
    const ProgramResult result = run_program(arguments);
    CHECK(result.exit_code == 2);
    CHECK(result.out.empty());
    CHECK(result.err.find("error: ") != std::string::npos);
    CHECK(result.err.find("help: ") != std::string::npos);
  }
}

TEST_CASE("an interrupted comparison exits with 130 and is still one document") {
  const ProgramResult result = run_program("compare context-gap --json --jobs 2 --set workload.num_requests=100000000",
                                           "timeout --preserve-status -s INT 1");
  CHECK(result.exit_code == 130);
  CHECK(nlohmann::json::parse(result.out).at("interrupted") == true);
}

}  // namespace decodesim::tests
