// Diagnostics as people read them.

#include <doctest/doctest.h>

#include <string>

#include "tests/scenario/loading.hpp"

namespace decodesim::tests {

TEST_CASE("a diagnostic shows the place, the line, a caret run under the culprit, and the fix") {
  const Loaded loaded =
      load_text(small_scenario + "serving:\n  prefil: computed\nslo: { ttft_p99: 500, tpot_p99: 30 ms }\n");
  CHECK(diagnostics_text(loaded.diagnostics) ==
        "error[unknown-key]: unknown key 'serving.prefil'\n"
        " --> s.yaml:6:3\n"
        "  |\n"
        "6 |   prefil: computed\n"
        "  |   ^^^^^^\n"
        "  = help: did you mean 'prefill'? (allowed: prefill, after_preemption)\n"
        "\n"
        "error[missing-unit]: 'slo.ttft_p99' needs a time unit\n"
        " --> s.yaml:7:18\n"
        "  |\n"
        "7 | slo: { ttft_p99: 500, tpot_p99: 30 ms }\n"
        "  |                  ^^^\n"
        "  = help: write '500 ms' or '500 s'\n"
        "\n"
        "2 errors in s.yaml\n");
}

TEST_CASE("columns and carets count characters, not bytes") {
  const Loaded loaded = load_text(small_scenario + "x-größe: {a: 1}\nslo: {\"ttft_p99\": 2 s, ürgens: 1}\n");
  REQUIRE(loaded.diagnostics.size() == 1);
  CHECK(loaded.diagnostics.front().line == 6);
  CHECK(loaded.diagnostics.front().column == 24);
  CHECK(loaded.diagnostics.front().length == 6);
}

TEST_CASE("a quoted value is underlined with its quotes") {
  const Loaded loaded = load_text(small_scenario + "slo: {ttft_p99: '500'}\n");
  REQUIRE(loaded.diagnostics.size() == 1);
  CHECK(loaded.diagnostics.front().column == 17);
  CHECK(loaded.diagnostics.front().length == 5);
}

TEST_CASE("tabs and Windows line ends leave the caret where it belongs") {
  const Loaded loaded = load_text(
      "version: 1\r\ncost: {model: fixed, step: 1 s}\r\nmemory: {num_gpu_blocks: 11}\r\nslo: {\tttft_p99: 5}\r\n"
      "workload: {num_requests: 3, input_tokens: 5, output_tokens: 2}\r\n");
  REQUIRE(loaded.diagnostics.size() == 1);
  const std::string text = diagnostic_text(loaded.diagnostics.front());
  CHECK(text.find("4 | slo: {\tttft_p99: 5}\n  |       \t          ^\n") != std::string::npos);
  CHECK(text.find('\r') == std::string::npos);
}

TEST_CASE("of a long line the part around the caret is shown") {
  const Loaded end = load_text(small_scenario + "slo: {x-a: " + std::string(3000, 'a') + ", ttft_p99: 500}\n");
  REQUIRE(end.diagnostics.size() == 1);
  CHECK(end.diagnostics.front().column == 3024);
  const std::string text = diagnostic_text(end.diagnostics.front());
  CHECK(text.find("aaa, ttft_p99: 500}\n") != std::string::npos);
  CHECK(text.size() < 600);
  const std::size_t shown = text.find("5 | ") + 4;
  const std::size_t caret = text.find("  | ", shown) + 4;
  CHECK(text.find("500}", shown) - shown == text.find("^^^", caret) - caret);
  CHECK(text[shown] == '.');
}

TEST_CASE("a file cannot send control characters to the terminal") {
  const Loaded loaded = load_text(small_scenario + "\"a\\x1b[31mb\": 1\n");
  REQUIRE(loaded.diagnostics.size() == 1);
  CHECK(diagnostics_text(loaded.diagnostics).find('\x1b') == std::string::npos);
}

TEST_CASE("the closing line counts errors and warnings, and files where there are several") {
  Diagnostic error;
  error.file = "a.yaml";
  Diagnostic warning = error;
  warning.severity = Severity::warning;
  CHECK(diagnostics_text(std::vector{error}).ends_with("1 error in a.yaml\n"));
  CHECK(diagnostics_text(std::vector{error, warning, warning}).ends_with("1 error and 2 warnings in a.yaml\n"));
  warning.file = "b.yaml";
  CHECK(diagnostics_text(std::vector{error, error, warning}).ends_with("2 errors and 1 warning in 2 files\n"));
  CHECK(diagnostics_text({}).empty());
}

}  // namespace decodesim::tests
