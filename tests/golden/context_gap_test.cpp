// The gap between 4k and 128k, simulated, against the arithmetic of the whiteboard.

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/support/program.hpp"

namespace decodesim::tests {

namespace {

nlohmann::json cases_of(const std::string& scenario) {
  const ProgramResult result = run_program("run " + scenario + " --json");
  REQUIRE_MESSAGE(result.exit_code == 0, result.err);
  return nlohmann::json::parse(result.out).at("cases");
}

double running(const nlohmann::json& report) { return report.at("steps").at("running_mean"); }
double output(const nlohmann::json& report) { return report.at("output_throughput"); }
double user_rate(const nlohmann::json& report) { return report.at("per_user_tokens_per_s").at("decode").at("mean"); }

}  // namespace

TEST_CASE("4k, 32k and 128k contexts run as many sequences as fit, at the whiteboard's rates") {
  const nlohmann::json cases = cases_of("scenarios/context-gap.yaml");
  REQUIRE(cases.size() == 3);
  for (const auto& report : cases)
    CHECK(report.at("steps").at("mean_ms").get<double>() == doctest::Approx(21.3).epsilon(0.01));
  CHECK(running(cases[0]) >= 316);
  CHECK(running(cases[0]) <= 321);
  CHECK(running(cases[1]) == doctest::Approx(40).epsilon(0.001));
  CHECK(running(cases[2]) == doctest::Approx(10).epsilon(0.001));
  CHECK(output(cases[0]) == doctest::Approx(15'000).epsilon(0.02));
  CHECK(output(cases[1]) == doctest::Approx(1'880).epsilon(0.02));
  CHECK(output(cases[2]) == doctest::Approx(470).epsilon(0.02));
  for (const auto& report : cases) CHECK(user_rate(report) == doctest::Approx(47).epsilon(0.01));
  CHECK(output(cases[0]) / output(cases[2]) == doctest::Approx(32).epsilon(0.02));
}

TEST_CASE("the summary says in words that the gap is 32x, and what a tuned stack reaches") {
  const ProgramResult result = run_program("run scenarios/context-gap.yaml");
  CHECK(result.out.find("The gap between 4k and 128k is 32x") != std::string::npos);
  CHECK(result.out.find("a tuned stack reaches about half of the ideal figure") != std::string::npos);
}

TEST_CASE("growth lowers the number of sequences that run, most where answers are long beside prompts") {
  const nlohmann::json constant = cases_of("scenarios/context-gap.yaml");
  const nlohmann::json mixed = cases_of("scenarios/context-gap-mixed-outputs.yaml");
  CHECK(running(mixed[0]) < running(constant[0]) - 5);
  CHECK(running(mixed[1]) < running(constant[1]));
  CHECK(running(mixed[2]) == doctest::Approx(10).epsilon(0.001));
  const double per_sequence = mixed[0].at("kv_cache").at("tokens_per_sequence_mean");
  CHECK(per_sequence > 4'096 + 60);  // half of a mean answer of 256, and more for the long ones that stay longer
  CHECK(per_sequence < 4'096 + 256);
}

}  // namespace decodesim::tests
