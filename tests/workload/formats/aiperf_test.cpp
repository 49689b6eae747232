#include <doctest/doctest.h>

#include "tests/support/read_text.hpp"

namespace decodesim::tests {

TEST_CASE("a row of AIPerf comes at its timestamp, with blocks of 512 tokens behind its hash ids") {
  const ReadText read = read_text(
      "\xEF\xBB\xBF{\"timestamp\": 1000, \"input_length\": 600, \"output_length\": 40, \"hash_ids\": [7, 8]}\r\n"
      "\r\n"
      "{\"timestamp\": 1250.5, \"input_length\": 30, \"output_length\": 4, \"type\": \"mooncake_trace\", \"tools\": "
      "[{}], "
      "\"extra\": {\"a\": 1}, \"headers\": null}",
      TraceFormat::aiperf);
  REQUIRE(read.requests.size() == 2);
  CHECK(read.arrivals() == std::vector<std::int64_t>{1'000'000'000, 1'250'500'000});
  CHECK(read.requests[0].content == std::vector<TokenRun>{{7, 512}, {8, 88}});
  CHECK(read.requests[1].content.empty());
  CHECK(read.account.block_size == 512);
  TraceSpec spec;
  spec.format = TraceFormat::aiperf;
  spec.block_size = 300;
  const ReadText smaller =
      read_text("{\"timestamp\": 0, \"input_length\": 600, \"output_length\": 1, \"hash_ids\": [7, 8]}", spec);
  REQUIRE(smaller.requests.size() == 1);
  CHECK(smaller.requests[0].content == std::vector<TokenRun>{{7, 300}, {8, 300}});
}

TEST_CASE("rows of one AIPerf session are its turns, each with the talk before it and its delay behind the answer") {
  const ReadText read = read_text(
      "{\"session_id\": \"a\", \"timestamp\": 5, \"input_length\": 600, \"output_length\": 40, \"hash_ids\": [1, 2]}\n"
      "{\"session_id\": \"b\", \"timestamp\": 6, \"input_length\": 10, \"output_length\": 1}\n"
      "{\"session_id\": \"a\", \"delay\": 2.5, \"input_length\": 150, \"output_length\": 20, \"hash_ids\": [9]}\n"
      "{\"session_id\": \"a\", \"delay\": 3, \"input_length\": 1, \"output_length\": 1}\n",
      TraceFormat::aiperf);
  REQUIRE(read.requests.size() == 4);
  CHECK(read.requests[0].session == "a");
  CHECK(read.requests[0].content.size() == 2);
  CHECK(read.requests[2].session == "a");
  CHECK(read.requests[2].input_tokens == 600 + 40 + 150);
  CHECK(read.requests[2].think_time == Duration(2'500'000));
  // Its ids stand behind what no other talk has said.
  CHECK(read.requests[2].content.empty());
  CHECK(read.requests[3].input_tokens == 790 + 20 + 1);
  CHECK(read.requests[1].input_tokens == 10);
}

TEST_CASE("rows of AIPerf that say no time come at once, and are counted") {
  const ReadText read = read_text(
      "{\"session_id\": \"a\", \"input_length\": 300, \"output_length\": 40}\n"
      "{\"session_id\": \"a\", \"delay\": 2, \"input_length\": 150, \"output_length\": 20}\n"
      "{\"input_length\": 5, \"output_length\": 6}\n",
      TraceFormat::aiperf);
  REQUIRE(read.requests.size() == 3);
  CHECK(read.arrivals() == std::vector<std::int64_t>{0, 0, 0});
  CHECK(read.counted("no timestamp", "all at once") == 2);
}

TEST_CASE("a row of AIPerf has a timestamp or a delay, and a length, not a text") {
  const auto refuses = [](const std::string& row, std::int64_t column, const std::string& says) {
    CAPTURE(row);
    const ReadText read = read_text(row, TraceFormat::aiperf);
    REQUIRE(read.mistakes.size() == 1);
    CHECK_MESSAGE(read.refused(1, column, says), read.mistakes[0].column, read.mistakes[0].message);
  };
  refuses("{\"timestamp\": 1, \"delay\": 2, \"input_length\": 3, \"output_length\": 4, \"session_id\": \"a\"}", 15,
          "not both");
  refuses("{\"timestamp\": 1, \"text_input\": \"hi there\", \"output_length\": 4}", 32, "a text has no length here");
  refuses("{\"timestamp\": 1, \"messages\": [{\"role\": \"user\"}], \"output_length\": 4}", 30,
          "a text has no length here");
  refuses("{\"timestamp\": 1, \"output_length\": 4}", 1, "there is no 'input_length'");
  refuses("{\"timestamp\": 1, \"input_length\": 4}", 1, "no output tokens");
  refuses("{\"timestamp\": 1, \"input_len\": 4, \"output_length\": 4}", 18, "did you mean 'input_length'");
  refuses("{\"timestamp\": 1, \"input_length\": 20, \"output_length\": 4, \"hash_ids\": [1, 2]}", 70,
          "has 1 blocks of 512");
}

TEST_CASE("hash ids are read exactly up to 2^62 - 1 and refused above, never cut short") {
  const auto row = [](const std::string& ids) {
    return "{\"timestamp\": 1, \"input_length\": 1024, \"output_length\": 4, \"hash_ids\": [" + ids + "]}";
  };
  // These two are one number in 32 bits, and one in a double.
  const ReadText read = read_text(row("4611686018427387903, 4611686014132420607"), TraceFormat::aiperf);
  REQUIRE(read.requests.size() == 1);
  CHECK(read.requests[0].content ==
        std::vector<TokenRun>{{4'611'686'018'427'387'903u, 512}, {4'611'686'014'132'420'607u, 512}});
  CHECK(read_text(row("1, 4611686018427387904"), TraceFormat::aiperf).refused(1, 76, "below 2^62"));
  CHECK(read_text(row("1, 18446744073709551615"), TraceFormat::aiperf).refused(1, 76, "fits 64 bits"));
  CHECK(read_text(row("1, 1.5"), TraceFormat::aiperf).refused(1, 76, "whole number"));
}

}  // namespace decodesim::tests
