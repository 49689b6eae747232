#include <doctest/doctest.h>

#include "tests/support/read_text.hpp"

namespace decodesim::tests {

TEST_CASE("a result of vLLM's client is one request an element, from its earliest start on") {
  const ReadText read = read_text(
      "{\n  \"duration\": 3.5, \"completed\": 2,\n  \"input_lens\": [812,\n    64],\n  \"output_lens\": [96, 7],\n"
      "  \"itls\": [[0.1, 0.2], []],\n  \"generated_texts\": [\"a ] \\\" }\", \"\"],\n"
      "  \"start_times\": [5021.25, 5021.750000001], \"errors\": [\"\", \"\"]\n}\n",
      TraceFormat::vllm_bench);
  REQUIRE(read.requests.size() == 2);
  CHECK(read.arrivals() == std::vector<std::int64_t>{0, 500'000'001});
  CHECK(read.requests[0].input_tokens == 812);
  CHECK(read.requests[0].output_tokens == 96);
  CHECK(read.requests[1].input_tokens == 64);
  CHECK(read.requests[1].max_tokens == 7);
  CHECK(read.account.exceptions.empty());
}

TEST_CASE("without start times all requests of a result come at once, counted") {
  const ReadText read = read_text("{\"input_lens\": [8, 9], \"output_lens\": [1, 2]}", TraceFormat::vllm_bench);
  REQUIRE(read.requests.size() == 2);
  CHECK(read.arrivals() == std::vector<std::int64_t>{0, 0});
  CHECK(read.counted("no start_times", "all at once") == 2);
}

TEST_CASE("failed requests of a result are left out and counted, or kept where that is said") {
  const std::string text =
      "{\"input_lens\": [8, 9, 10], \"output_lens\": [1, 0, 0], \"start_times\": [7, 0.0, 8], \"errors\": [\"\", "
      "\"refused\", null]}";
  const ReadText read = read_text(text, TraceFormat::vllm_bench);
  REQUIRE(read.requests.size() == 1);
  CHECK(read.counted("an error", "dropped") == 1);
  CHECK(read.counted("no output tokens", "dropped") == 1);
  CHECK(read.account.rows == 3);
  // The zero of a failed request is no time, so that it neither begins the clock nor lies before a window.
  const ReadText first = read_text(
      "{\"input_lens\": [8, 9, 9], \"output_lens\": [0, 1, 1], \"start_times\": [0, 7, 8], \"errors\": [\"x\", \"\", "
      "\"\"]}",
      TraceFormat::vllm_bench);
  CHECK(first.arrivals() == std::vector<std::int64_t>{0, 1'000'000'000});

  TraceSpec spec;
  spec.format = TraceFormat::vllm_bench;
  spec.zero_output = RowPolicy::clip;
  spec.backward_time = BackwardPolicy::sort;
  const ReadText kept = read_text(text, spec);
  REQUIRE(kept.requests.size() == 3);
  CHECK(kept.arrivals() == std::vector<std::int64_t>{0, 7'000'000'000, 8'000'000'000});
  CHECK(kept.requests[0].input_tokens == 9);

  spec.zero_output = RowPolicy::reject;
  CHECK(read_text(text, spec).refused(1, 47, "of request 1"));
}

TEST_CASE("a result that is not a detailed one, or whose lists disagree, is refused at its place") {
  const auto refuses = [](const std::string& text, std::int64_t line, std::int64_t column, const std::string& says) {
    CAPTURE(text);
    const ReadText read = read_text(text, TraceFormat::vllm_bench);
    REQUIRE(read.mistakes.size() == 1);
    CHECK_MESSAGE(read.refused(line, column, says), read.mistakes[0].line, ":", read.mistakes[0].column, " ",
                  read.mistakes[0].message);
  };
  refuses("{\"duration\": 3}", 1, 1, "--save-detailed");
  refuses("{\"input_lens\": [1, 2],\n \"output_lens\": [1]}", 2, 17, "one a request in each");
  refuses("{\"input_lens\": [1, 2],\n \"output_lens\": [1, 2], \"start_times\": [0]}", 2, 40, "one a request in each");
  refuses("{\"input_lens\": [1, \"2\"],\n \"output_lens\": [1, 2]}", 1, 20,
          "of request 1 it is '2': expected a number");
  refuses("{\"input_lens\": 3,\n \"output_lens\": [1, 2]}", 1, 16, "expected a list");
  refuses("{\"input_lens\": [1],\n \"output_lens\": [1,]}", 2, 20, "expected a number or another value");
  refuses("{\"input_lens\": [1],\n \"output_lens\": [1]}\n{}", 3, 1, "nothing stands behind the object");
}

}  // namespace decodesim::tests
