#include <doctest/doctest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/program.hpp"
#include "tests/support/shared_data.hpp"
#include "tests/support/temporary_folder.hpp"

namespace decodesim::tests {

TEST_CASE("describe tells the rows of a trace, why some were left out, and draws what is left") {
  const TemporaryFolder folder;
  const std::string trace =
      folder.write("t.csv",
                   "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n"
                   "5,ChatGPT,472,18,490,Conversation log\n45,ChatGPT,1087,0,1087,Conversation log\n"
                   "118,GPT-4,417,276,693,API log\n");
  const ProgramResult refused = run_program("describe " + trace);
  CHECK(refused.exit_code == 2);
  CHECK(refused.err.find("--format burstgpt") != std::string::npos);

  const ProgramResult text = run_program("describe " + trace + " --format burstgpt");
  REQUIRE(text.exit_code == 0);
  for (const char* part :
       {"3 read = 2 kept + 1 dropped", "1: no output tokens", "113 s from the first arrival to the last", "Tenants",
        "ChatGPT 1, GPT-4 1", "Input tokens, from 1 to 1,000", "█"}) {
    CAPTURE(part);
    CHECK(text.out.find(part) != std::string::npos);
  }

  const ProgramResult json = run_program("describe " + trace + " --format burstgpt --set zero_output=clip --json");
  REQUIRE(json.exit_code == 0);
  const auto document = nlohmann::json::parse(json.out);
  CHECK(document.at("requests") == 3);
  CHECK(document.at("trace").at("rows") == 3);
  CHECK(document.at("trace").at("dropped") == 0);
  CHECK(document.at("trace").at("exceptions").at(0).at("action") == "clipped");
  CHECK(document.at("arrivals").at("span_s") == 113);
  CHECK(document.at("output_tokens").at("total") == 18 + 1 + 276);
}

TEST_CASE("describe shows the workload that a scenario makes, case by case") {
  const ProgramResult result = run_program("describe --scenario crowded-cache");
  REQUIRE(result.exit_code == 0);
  CHECK(result.out.find("Requests") != std::string::npos);
  CHECK(result.out.find("req/s") != std::string::npos);
  const ProgramResult cases = run_program("describe --scenario context-gap");
  CHECK(cases.exit_code == 2);
  CHECK(cases.err.find("--case 4k") != std::string::npos);
  const ProgramResult one = run_program("describe --scenario context-gap --case 4k");
  REQUIRE(one.exit_code == 0);
  CHECK(one.out.find("a closed loop of") != std::string::npos);
}

TEST_CASE("the turns of a session in a trace begin with what was said before") {
  const TemporaryFolder folder;
  const std::string trace = folder.write(
      "talk.csv", "arrival_s,input_tokens,output_tokens,session\n0,1000,100,a\n1,50,5,\n,2100,100,a\n,3200,100,a\n");
  const ProgramResult result = run_program("describe " + trace + " --json");
  REQUIRE(result.exit_code == 0);
  const auto prefix = nlohmann::json::parse(result.out).at("prefix");
  CHECK(prefix.at("found_tokens") == 1100 + 2200);
  CHECK(prefix.at("requests") == 2);
}

TEST_CASE("a trace that is imported is described as the one it came from") {
  const auto azure = shared_file("data/traces/AzureLLMInferenceTrace_code.csv");
  if (!azure) return;
  const TemporaryFolder folder;
  const std::string target = folder / "t.yaml";
  const ProgramResult imported = run_program("import azure " + azure->string() + " -o " + target);
  REQUIRE(imported.exit_code == 0);
  CHECK(imported.err.find("8,819 read = 8,819 kept + 0 dropped") != std::string::npos);
  const auto described = [](const std::string& file) {
    auto document = nlohmann::json::parse(run_program("describe --json " + file).out);
    document.erase("trace");
    document.erase("name");
    return document;
  };
  const auto one = described(azure->string());
  CHECK(one.at("requests") == 8819);
  CHECK(one.at("input_tokens").at("total") == 18'059'974);
  CHECK(one == described(target));
  CHECK(run_program("import azure " + azure->string() + " -o " + target).exit_code == 2);
}

TEST_CASE("what an import cannot read is named with its place") {
  const TemporaryFolder folder;
  const std::string trace = folder.write("t.csv", "arrived_at,num_prefill_tokens,num_decode_tokens\n0.5,7,x\n");
  const ProgramResult result = run_program("import vidur " + trace);
  CHECK(result.exit_code == 2);
  CHECK(result.err.find(":2:7") != std::string::npos);
  CHECK(result.err.find("num_decode_tokens is 'x'") != std::string::npos);
  CHECK(run_program("import vidurr " + trace).err.find("did you mean 'vidur'") != std::string::npos);
}

}  // namespace decodesim::tests
