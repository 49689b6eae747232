// An hour of real chat on one node: nothing is lost, and it takes no time.

#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "tests/support/program.hpp"
#include "tests/support/shared_data.hpp"

namespace decodesim::tests {

TEST_CASE("every request and every token of the Azure conversation trace is accounted for, in under two seconds") {
  const auto trace = shared_file("data/traces/AzureLLMInferenceTrace_conv.csv");
  if (!trace) return;
  std::int64_t rows = 0;
  std::int64_t tokens_in = 0;
  std::int64_t tokens_out = 0;
  std::ifstream file(*trace);
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::istringstream cells(line.substr(line.find(',') + 1));
    std::int64_t in = 0;
    std::int64_t out = 0;
    char comma = 0;
    cells >> in >> comma >> out;
    REQUIRE(!cells.fail());
    ++rows;
    tokens_in += in;
    tokens_out += out;
  }
  CHECK(rows == 19'366);

  const auto began = std::chrono::steady_clock::now();
  const ProgramResult result =
      run_program("run scenarios/chat-on-hgx-h100.yaml --set 'workload.trace=" + trace->string() + "' --json");
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  REQUIRE_MESSAGE(result.exit_code == 0, result.err);
  const auto report = nlohmann::json::parse(result.out);
  CHECK(report.at("requests_in") == rows);
  const std::int64_t accounted =
      report.at("completed").get<std::int64_t>() + report.at("rejected").get<std::int64_t>() +
      report.at("cancelled").get<std::int64_t>() + report.at("unfinished").get<std::int64_t>();
  CHECK(accounted == rows);
  CHECK(report.at("completed") == rows);
  CHECK(report.at("total_input_tokens") == tokens_in);
  CHECK(report.at("total_output_tokens") == tokens_out);
  CHECK(took.count() < 2.0);
}

}  // namespace decodesim::tests
