// The validate and calibrate commands at their edges: exit codes, files, what goes where.

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/program.hpp"
#include "tests/support/temporary_folder.hpp"

namespace decodesim::tests {

namespace {

const std::string table =
    "model,gpu,tp,engine,isl,osl,concurrency,ttft_ms,tpot_ms\n"
    "llama-3-8b,h100-sxm,1,vllm-v1,200,100,4,20,9\n"
    "llama-3-8b,h100-sxm,1,vllm-v1,2000,100,8,90,11\n"
    "llama-3-8b,h200-sxm,1,vllm-v1,200,50,16,30,8\n";

}  // namespace

TEST_CASE("validate prints tables, or one JSON document of the same rows, and the same bytes with any number of jobs") {
  const TemporaryFolder folder;
  const std::string command = "validate " + folder.write("m.csv", table);
  const ProgramResult text = run_program(command + " --jobs 1");
  CHECK(text.exit_code == 0);
  CHECK(text.err.empty());
  CHECK(text.out.find("6 measured rows in: 6 predicted, 0 refused") == 0);
  CHECK(text.out == run_program(command + " --jobs 3").out);
  const ProgramResult document = run_program(command + " --json");
  CHECK(document.exit_code == 0);
  const auto json = nlohmann::json::parse(document.out);
  CHECK(json.at("rows").size() == 6);
  CHECK(json.at("points").size() == 3);
  CHECK(json.at("rows_in") == json.at("rows_predicted"));
  CHECK(json.at("rows").at(0).at("line") == 2);
  CHECK(json.at("groups").at(0).at("gpu") == "h100-sxm");
  CHECK(json.at("groups").at(0).at("rows") == 2);
  CHECK(run_program(command + " --markdown").out.find("### The ten worst rows") != std::string::npos);
}

TEST_CASE("--only takes some rows, and what it leaves out is counted") {
  const TemporaryFolder folder;
  const std::string file = folder.write("m.csv", table);
  const auto json = nlohmann::json::parse(run_program("validate " + file + " --json --only gpu=h200").out);
  CHECK(json.at("rows").size() == 2);
  CHECK(json.at("rows_left_out") == 4);
  CHECK(run_program("validate " + file + " --only gup=h200").err.find("did you mean 'gpu'") != std::string::npos);
  CHECK(run_program("validate " + file + " --only gup=h200").exit_code == 2);
  CHECK(run_program("validate " + file + " --only gpu=b300").exit_code == 2);
}

TEST_CASE("a wrong table ends with 2 and names file, line and column; one that is not there with 1") {
  const TemporaryFolder folder;
  const std::string file = folder.write("m.csv", "model,isl,osl,concurrency,tpot_ms\nllama-3-7b,100,x,4,9\n");
  const ProgramResult wrong = run_program("validate " + file);
  CHECK(wrong.exit_code == 2);
  CHECK(wrong.out.empty());
  CHECK(wrong.err.find(file + ":2:1") != std::string::npos);
  CHECK(wrong.err.find("did you mean 'llama-3-70b'") != std::string::npos);
  CHECK(wrong.err.find(file + ":2:16") != std::string::npos);
  CHECK(run_program("calibrate " + file).exit_code == 2);
  CHECK(run_program("validate nowhere.csv").exit_code == 1);
  const std::string right = folder.write("r.csv", table);
  CHECK(run_program("validate " + right + " --base nowhere").exit_code == 1);
  CHECK(run_program("validate " + right + " --set cost.hot=1").exit_code == 2);
  CHECK(run_program("validate " + right + " --json --markdown").exit_code == 2);
  CHECK(run_program("validate").exit_code == 2);
}

TEST_CASE("where no row can be predicted validate says why and ends with 1") {
  const TemporaryFolder folder;
  const ProgramResult result = run_program(
      "validate " +
      folder.write("m.csv",
                   "model,gpu,tp,engine,isl,osl,concurrency,tpot_ms\nllama-3-70b,h100-sxm,1,vllm-v1,9,9,1,9\n"));
  CHECK(result.exit_code == 1);
  CHECK(result.out.find("1 measured row in: 0 predicted, 1 refused") == 0);
  CHECK(result.out.find("llama-3-70b") != std::string::npos);
}

TEST_CASE("validate writes rows as CSV and errors by GPU and engine as YAML") {
  const TemporaryFolder folder;
  const ProgramResult result = run_program("validate " + folder.write("m.csv", table) + " --csv " +
                                           (folder / "rows.csv") + " --trust " + (folder / "trust.yaml"));
  CHECK(result.exit_code == 0);
  const std::string rows = file_text((folder / "rows.csv"));
  CHECK(std::count(rows.begin(), rows.end(), '\n') == 7);
  CHECK(file_text((folder / "trust.yaml")).find("{gpu: h200-sxm, engine: vllm-v1, cost: ") != std::string::npos);
}

TEST_CASE("a result of vLLM's benchmark client is validated over a base that says model and server") {
  const TemporaryFolder folder;
  const std::string file = folder.write("bench.json",
                                        "{\"num_prompts\": 40, \"request_rate\": \"inf\", \"max_concurrency\": 4, "
                                        "\"completed\": 40, \"total_input_tokens\": "
                                        "8000, \"total_output_tokens\": 4000, \"output_throughput\": 400.0, "
                                        "\"mean_ttft_ms\": 20.5, \"mean_tpot_ms\": 9.1}\n");
  const ProgramResult result = run_program("validate " + file + " --base chat-on-hgx-h100");
  CHECK(result.exit_code == 0);
  CHECK(result.out.find("3 measured rows in: 3 predicted") == 0);
  CHECK(run_program("validate " + file).exit_code == 1);  // nothing says which engine
}

TEST_CASE("calibrate prints constants and residuals, and writes a base that validate takes") {
  const TemporaryFolder folder;
  const std::string file = folder.write("m.csv", table);
  const std::string base =
      folder.write("base.yaml", "version: 1\nscheduler: {async: false}\ncost: {model: roofline}\n");
  const std::string command =
      "calibrate " + file + " --base " + base + " --fit cost.host_time -o " + (folder / "e.yaml");
  const ProgramResult text = run_program(command);
  CHECK(text.exit_code == 0);
  CHECK(text.err.empty());
  CHECK(text.out.find("1 constant fitted to 6 rows of 6 in") == 0);
  CHECK(file_text((folder / "e.yaml")).find("cost:\n  host_time: ") != std::string::npos);
  const auto json = nlohmann::json::parse(run_program(command + " --json").out);
  CHECK(json.at("constants").at(0).at("path") == "cost.host_time");
  CHECK(json.at("constants").at(0).at("constraint") == "constrained");
  const std::string both = folder.write("both.yaml", "version: 1\nbase: [base.yaml, e.yaml]\n");
  const auto again = nlohmann::json::parse(run_program("validate " + file + " --base " + both + " --json").out);
  for (std::size_t i = 0; i < 6; ++i)
    CHECK(again.at("rows").at(i).at("predicted") == json.at("rows").at(i).at("after"));
}

TEST_CASE("calibrate refuses what cannot be fitted, and says what can") {
  const TemporaryFolder folder;
  const std::string command = "calibrate " + folder.write("m.csv", table) + " --fit ";
  for (const char* paths : {"cost.hot_time", "scheduler.max_num_seqs", "cost.host_time,cost.host_time",
                            "hardware.gpu.hbm_bandwidth", "memory.host_link.bandwidth"}) {
    CAPTURE(paths);
    const ProgramResult result = run_program(command + paths);
    CHECK(result.exit_code == 2);
    CHECK(result.out.empty());
    CHECK(!result.err.empty());
  }
}

TEST_CASE("an interrupted validation exits with 130 and is still one document") {
  const TemporaryFolder folder;
  const std::string file = folder.write("m.csv",
                                        "model,gpu,tp,engine,isl,osl,concurrency,num_requests,tpot_ms\nllama-3-8b,h100-"
                                        "sxm,1,vllm-v1,200,100,4,100000000,9\n");
  const ProgramResult validated = run_program("validate --json " + file, "timeout --preserve-status -s INT 1");
  CHECK(validated.exit_code == 130);
  CHECK(nlohmann::json::parse(validated.out).at("interrupted") == true);
  const ProgramResult fitted =
      run_program("calibrate --json --fit cost.host_time " + file, "timeout --preserve-status -s INT 1");
  CHECK(fitted.exit_code == 130);
  CHECK(nlohmann::json::parse(fitted.out).at("interrupted") == true);
}

TEST_CASE("neither validate nor calibrate writes over what it was made from, nor two results into one file") {
  const TemporaryFolder folder;
  const std::string file = folder.write("m.csv", table);
  const std::string below = folder.write("below.yaml", "version: 1\ncost: {model: roofline}\n");
  const std::string base = folder.write("base.yaml", "version: 1\nbase: below.yaml\nscheduler: {async: false}\n");
  const std::string setups = folder.write("setups.yaml", "version: 1\n");
  const std::string same = folder / ("../" + folder.path().filename().string() + "/m.csv");
  const std::string with = " " + file + " --base " + base + " --setups " + setups;
  for (const std::string& output : {file, same, below, base, setups}) {
    CAPTURE(output);
    const std::string before = file_text(output);
    for (const std::string& command :
         {"validate --csv " + output, "validate --trust " + output, "calibrate --fit cost.host_time -o " + output}) {
      const ProgramResult result = run_program(command + with);
      CHECK(result.exit_code == 2);
      CHECK(result.out.empty());
      CHECK(result.err.find("is an input of this run and would be overwritten") != std::string::npos);
    }
    CHECK(file_text(output) == before);
  }
  const std::string one = (folder / "one");
  CHECK(run_program("validate" + with + " --csv " + one + " --trust " + one).exit_code == 2);
  CHECK(file_text(one).empty());
}

TEST_CASE("what validate and calibrate cannot write they say before they play anything") {
  const TemporaryFolder folder;
  const std::string file = folder.write("m.csv",
                                        "model,gpu,tp,engine,isl,osl,concurrency,num_requests,tpot_ms\nllama-3-8b,h100-"
                                        "sxm,1,vllm-v1,200,100,4,100000000,9\n");
  for (const char* command : {"validate --csv ", "validate --trust ", "calibrate --fit cost.host_time -o "}) {
    CAPTURE(command);
    const std::string call = command + (folder / "nowhere/x ") + file;
    const ProgramResult result = run_program(call, "timeout --preserve-status -s INT 20");
    CHECK(result.exit_code == 1);
    CHECK(result.err.find("cannot write") != std::string::npos);
  }
}

TEST_CASE("an interrupted validation writes the rows that it has, and leaves the errors by GPU as they were") {
  const TemporaryFolder folder;
  const std::string file = folder.write("m.csv",
                                        "model,gpu,tp,engine,isl,osl,concurrency,num_requests,tpot_ms\nllama-3-8b,h100-"
                                        "sxm,1,vllm-v1,200,100,4,100000000,9\n");
  const std::string trust = folder.write("trust.yaml", "as it was\n");
  const ProgramResult result = run_program("validate " + file + " --csv " + (folder / "rows.csv") + " --trust " + trust,
                                           "timeout --preserve-status -s INT 1");
  CHECK(result.exit_code == 130);
  CHECK(file_text((folder / "rows.csv")).find(",interrupted") != std::string::npos);
  CHECK(file_text(trust) == "as it was\n");
}

}  // namespace decodesim::tests
