// What a scenario may do, but hardly means to.

#include <doctest/doctest.h>

#include "tests/scenario/marked_text.hpp"

namespace decodesim::tests {

TEST_CASE("a budget below the number of sequences is a warning, and the scenario loads") {
  const Loaded loaded = load_text(FIXED LOAD "scheduler: {max_num_seqs: 64, max_num_batched_tokens: 32}\n");
  REQUIRE(loaded.scenarios.size() == 1);
  REQUIRE(loaded.diagnostics.size() == 1);
  CHECK(loaded.diagnostics.front().severity == Severity::warning);
  CHECK(loaded.diagnostics.front().code == "small-budget");
  CHECK(loaded.diagnostics.front().line == 5);
}

namespace {

struct Warned {
  std::string_view text;  // § stands where the caret must begin
  std::string_view code;
  std::string_view message;
};

}  // namespace

TEST_CASE("what works otherwise than it was meant is a warning at its place, and the scenario loads") {
  for (const Warned& warned : {
           Warned{H100 LOAD "parallel: {tp: §4}\n", "idle-gpus", "4 of 8 GPUs are not used: tp is 4"},
           Warned{H100 LOAD "parallel: {tp: §2, pp: 2}\n", "idle-gpus",
                  "4 of 8 GPUs are not used: tp is 2, in 2 stages"},
           Warned{
               FIXED
               "scheduler: {max_model_len: 4k}\nworkload: {num_requests: 3, input_tokens: §4096, output_tokens: 1}\n",
               "never-served",
               "its prompt has 4096 tokens, and max_model_len, the most of prompt and output "
               "together, is 4096"},
           Warned{H100 "workload: {num_requests: 3, input_tokens: 8191, output_tokens: §2}\n", "cut-answers",
                  "prompt and output have 8193 tokens together, and max_model_len is 8192"},
           Warned{H100 "workload: {num_requests: 3, §input_tokens: {distribution: uniform, min: 8k, max: 9k}, "
                       "output_tokens: 2}\n",
                  "never-served", "has at least 8192 tokens"},
       }) {
    const Expected file = expected(warned.text);
    const Loaded loaded = load_text(file.text);
    CAPTURE(file.text);
    INFO(diagnostics_text(loaded.diagnostics));
    REQUIRE(loaded.scenarios.size() == 1);
    REQUIRE(loaded.diagnostics.size() == 1);
    const Diagnostic& warning = loaded.diagnostics.front();
    CHECK(warning.severity == Severity::warning);
    CHECK(warning.code == warned.code);
    CHECK(warning.message.find(warned.message) != std::string::npos);
    CHECK(warning.line == file.line);
    CHECK(warning.column == file.column);
  }
}

TEST_CASE("no warning where all GPUs are used and every answer has room") {
  for (const char* text :
       {H100 LOAD "parallel: {tp: 8}\n",
        "version: 1\nmodel: llama-3-8b\nhardware: {node: hgx-h100, gpus: 4}\nparallel: {tp: 4}\n" LOAD,
        H100 "workload: {num_requests: 3, input_tokens: 8190, output_tokens: 2}\n",
        H100 "workload: {num_requests: 3, input_tokens: {distribution: uniform, min: 1, max: 9k}, "
             "output_tokens: 2}\n"}) {
    const Loaded loaded = load_text(text);
    INFO(diagnostics_text(loaded.diagnostics));
    CHECK(loaded.scenarios.size() == 1);
    CHECK(loaded.diagnostics.empty());
  }
}

}  // namespace decodesim::tests
