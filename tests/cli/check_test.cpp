// The check command sees what a run would stumble over.

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/support/program.hpp"
#include "tests/support/temporary_folder.hpp"

namespace decodesim::tests {

namespace fs = std::filesystem;

TEST_CASE("a scenario is not valid where its trace is not") {
  const TemporaryFolder folder;
  const std::string trace =
      folder.write("trace.csv", "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:17:03.9799600,0,10\n");
  const std::string with_trace = "scenarios/chat-on-hgx-h100.yaml --set 'workload.trace=" + trace + "'";
  for (const std::string command : {"check ", "run "}) {
    const ProgramResult result = run_program(command + with_trace);
    CHECK(result.exit_code == 2);
    CHECK(result.err.find("trace.csv:2:") != std::string::npos);
  }
}

TEST_CASE("a node whose links lead nowhere, and weights that do not fit, are found by check") {
  const std::string check = "check scenarios/chat-on-hgx-h100.yaml --set ";
  const ProgramResult link =
      run_program(check + "'hardware={gpu: h100-sxm, gpus: 8, links: [{from: gpu, to: nowhere}]}'");
  CHECK(link.exit_code == 2);
  CHECK(link.err.find("wrong-link") != std::string::npos);
  const ProgramResult weights = run_program(check + "model=llama-3.1-405b");
  CHECK(weights.exit_code == 2);
  CHECK(weights.err.find("does-not-fit") != std::string::npos);
}

TEST_CASE("a wrong value of a sweep is found by check, and a point that does not fit is none") {
  const std::string served =
      "version: 1\nmodel: llama-3-70b\nhardware: {node: hgx-h100}\ncost: {model: roofline}\n"
      "workload: {input_tokens: 1k, output_tokens: 8, max_concurrency: 4, num_requests: 8}\n";
  const TemporaryFolder folder;
  const auto checked = [&](const std::string& values) {
    return run_program("check " + folder.write("s.yaml", served + "sweep: {grid: {parallel.tp: " + values + "}}\n"));
  };
  const ProgramResult wrong = checked("[8, eight]");
  CHECK(wrong.exit_code == 2);
  CHECK(wrong.err.find("s.yaml:6:33") != std::string::npos);
  CHECK(checked("[1, 8]").exit_code == 0);
}

}  // namespace decodesim::tests
