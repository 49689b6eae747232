#include <doctest/doctest.h>

#include "tests/support/read_text.hpp"

namespace decodesim::tests {

TEST_CASE("a line of AIBrix holds all requests of its tick, in either spelling") {
  const ReadText read = read_text(
      "{\"timestamp\": 0, \"requests\": [{\"Prompt Length\": 40, \"Output Length\": 7, \"prompt\": \"a \\\"b\\\" "
      "[c\"}]}\r\n"
      "\n"
      "{\"timestamp\": 1500, \"requests\": []}\n"
      "{\"timestamp\": 2000, \"requests\": [{\"prompt_length\": 5, \"output_length\": 6, \"model\": \"m\"}, "
      "{\"prompt_length\": 8, \"output_length\": 9}]}",
      TraceFormat::aibrix);
  REQUIRE(read.requests.size() == 3);
  CHECK(read.arrivals() == std::vector<std::int64_t>{0, 2'000'000'000, 2'000'000'000});
  CHECK(read.requests[0].input_tokens == 40);
  CHECK(read.requests[0].output_tokens == 7);
  CHECK(read.requests[1].input_tokens == 5);
  CHECK(read.requests[1].max_tokens == 6);
  CHECK(read.requests[1].tenant == "m");
  CHECK(read.requests[2].input_tokens == 8);
  CHECK(read.requests[2].output_tokens == 9);
  CHECK(read.account.rows == 3);
  CHECK(read.account.time_unit == "ms");
}

TEST_CASE("an answer of AIBrix whose length is null, missing or 0 goes by the policy for rows without output tokens") {
  const std::string text =
      "{\"timestamp\": 0, \"requests\": [{\"prompt_length\": 5, \"output_length\": null}, {\"prompt_length\": 6}, "
      "{\"prompt_length\": 7, \"output_length\": 8}]}\n";
  const ReadText strict = read_text(text, TraceFormat::aibrix);
  REQUIRE(strict.mistakes.size() == 2);
  CHECK(strict.refused(1, 31, "no output tokens"));
  CHECK(strict.refused(1, 76, "no output tokens"));
  CHECK(
      read_text("{\"timestamp\": 0, \"requests\": [{\"prompt_length\": 5, \"output_length\": 0}]}", TraceFormat::aibrix)
          .refused(1, 69, "say what becomes of such rows"));

  TraceSpec spec;
  spec.format = TraceFormat::aibrix;
  spec.zero_output = RowPolicy::drop;
  const ReadText dropped = read_text(text, spec);
  REQUIRE(dropped.requests.size() == 1);
  CHECK(dropped.requests[0].input_tokens == 7);
  CHECK(dropped.counted("no output tokens", "dropped") == 2);

  spec.zero_output = RowPolicy::clip;
  const ReadText clipped = read_text(text, spec);
  REQUIRE(clipped.requests.size() == 3);
  CHECK(clipped.requests[1].output_tokens == 1);
  CHECK(clipped.requests[1].max_tokens == 1);
  CHECK(clipped.counted("no output tokens", "clipped") == 2);
}

TEST_CASE("a later request of an AIBrix session is asked with the talk before it") {
  const ReadText read = read_text(
      "{\"timestamp\": 0, \"requests\": [{\"prompt_length\": 100, \"output_length\": 10, \"session_id\": 4}]}\n"
      "{\"timestamp\": 9, \"requests\": [{\"prompt_length\": 20, \"output_length\": 3, \"session_id\": 4}, "
      "{\"prompt_length\": 50, \"output_length\": 1, \"session_id\": 5}]}\n"
      "{\"timestamp\": 12, \"requests\": [{\"prompt_length\": 1, \"output_length\": 1, \"session_id\": 4}]}\n",
      TraceFormat::aibrix);
  REQUIRE(read.requests.size() == 4);
  CHECK(read.requests[0].session == "4");
  CHECK(read.requests[0].input_tokens == 100);
  CHECK(read.requests[1].input_tokens == 130);
  CHECK(read.requests[2].input_tokens == 50);
  CHECK(read.requests[3].input_tokens == 134);
}

TEST_CASE("a line of AIBrix that is not as it should be is refused at its place, and the others are read on") {
  const auto refuses = [](const std::string& line, std::int64_t column, const std::string& says) {
    CAPTURE(line);
    const ReadText read = read_text(line + "\n{\"timestamp\": true, \"requests\": []}\n", TraceFormat::aibrix);
    CHECK(read.refused(1, column, says));
    CHECK(read.refused(2, 15, "expected a number"));
    CHECK(read.mistakes.size() == 2);
  };
  refuses("{\"requests\": []}", 1, "there is no 'timestamp'");
  refuses("{\"timestamp\": 1}", 1, "a list of those that come");
  refuses("{\"timestamp\": 1, \"requests\": 7}", 30, "a list of those that come");
  refuses("{\"timestamp\": 1, \"requests\": [7]}", 31, "expected a request");
  refuses("{\"timestamp\": 1, \"requests\": [{\"prompt\": \"hello\"}]}", 31, "a prompt's text has no length here");
  refuses("{\"timestamp\": 1, \"requests\": [{\"prompt_length\": \"5\"}]}", 49, "without quotes");
  refuses("{\"timestamp\": 1, \"requests\": [{\"prompt_length\": -5}]}", 49, "not negative");
  refuses("{\"timestamp\": 1, \"requests\": [{\"prompt_length\": 5]}", 50, "closes none");
}

}  // namespace decodesim::tests
