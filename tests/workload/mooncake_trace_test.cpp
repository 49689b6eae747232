// The public Mooncake traces: JSON lines whose hash ids say which prompts begin alike.

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "sim/core/random.hpp"
#include "sim/workload/request_source.hpp"
#include "sim/workload/traces/trace.hpp"
#include "tests/support/damage.hpp"
#include "tests/support/shared_data.hpp"

namespace decodesim::tests {

namespace {

const std::string first_line =
    "{\"timestamp\": 0, \"input_length\": 1030, \"output_length\": 5, \"hash_ids\": [0, 1, 2]}\n";

/// A broken line, and where and how it is refused.
struct BrokenLine {
  std::string text;
  std::int64_t column;
  std::string says;
};

const std::vector<BrokenLine> broken_lines{
    {"{}", 1, "there is no 'timestamp'"},
    {"[0]", 1, "expected '{'"},
    {"{\"timestamp\": 0, \"input_length\": 5, \"output_length\": 5}", 1, "no 'hash_ids'"},
    {"{\"input_length\": 5, \"output_length\": 5, \"hash_ids\": [1]}", 1, "no 'timestamp'"},
    {"{\"timestamp\": 0, \"timestamp\": 1}", 18, "'timestamp' is there twice"},
    {"{\"chat_id\": 7}", 2, "unknown key 'chat_id'"},
    {"{\"input_lenght\": 7}", 2, "did you mean 'input_length'"},
    {"{\"timestamp\" 0}", 14, "expected ':'"},
    {"{\"timestamp: 0}", 2, "quote is not closed"},
    {"{\"timestamp\": 1.5.5}", 15, "timestamp is '1.5.5': expected a number"},
    {"{\"timestamp\": -1}", 15, "before time zero"},
    {"{\"timestamp\": 4611686018428}", 15, "146 years"},
    {"{\"timestamp\": 007}", 15, "timestamp is '007': expected a number"},
    {"{\"timestamp\": \"0\"}", 15, "expected a number, without quotes"},
    {"{\"timestamp\": 3, \"input_length\": 0, \"output_length\": 5, \"hash_ids\": []}", 34, "at least 1 token"},
    {"{\"output_length\": null}", 19, "expected a whole number"},
    {"{\"timestamp\": 3, \"input_length\": 5, \"output_length\": 0, \"hash_ids\": []}", 54, "failed call"},
    {"{\"hash_ids\": 5}", 14, "expected a list"},
    {"{\"hash_ids\": [5, -1]}", 18, "an id is not negative"},
    {"{\"hash_ids\": [5 6]}", 17, "expected ',' or ']'"},
    {"{\"hash_ids\": [5, ]}", 18, "expected a whole number"},
    {"{\"hash_ids\": [9223372036854775808]}", 15, "fits 64 bits"},
    {"{\"timestamp\": 3, \"input_length\": 20, \"output_length\": 5, \"hash_ids\": [1, 2]}", 70, "has 1 blocks of 512"},
    {"{\"timestamp\": 3, \"input_length\": 1024, \"output_length\": 5, \"hash_ids\": [1]}", 72, "has 2 blocks of 512"},
    {"{\"timestamp\": 3, \"input_length\": 20, \"output_length\": 5, \"hash_ids\": [1]", 73, "expected '}'"},
    {"{\"timestamp\": 3, \"input_length\": 20, \"output_length\": 5, \"hash_ids\": [1]} {}", 75,
     "every line holds one"},
};

std::vector<TraceMistake> mistakes_of(const std::string& text) {
  try {
    parse_trace(text, "t.jsonl");
  } catch (const TraceError& error) {
    return error.mistakes();
  }
  return {};
}

}  // namespace

TEST_CASE("a Mooncake line is a request whose prompt begins with the blocks of its hash ids") {
  const std::vector<Request> requests = parse_trace(
      first_line + "\t{\"hash_ids\":[0,1,9],\"output_length\":1,\"input_length\":1536,\"timestamp\":3001}\r\n" +
          "{\"timestamp\": 3001, \"input_length\": 600, \"output_length\": 2, \"hash_ids\": [4]}",
      "t.jsonl");
  REQUIRE(requests.size() == 3);
  CHECK(requests[0].input_tokens == 1030);
  CHECK(requests[0].max_tokens == 5);
  CHECK(requests[0].content == std::vector<TokenRun>{{0, 512}, {1, 512}, {2, 6}});
  CHECK(requests[1].index == 1);
  CHECK(requests[1].arrival == Time(std::chrono::milliseconds(3001)));
  CHECK(requests[1].output_tokens == 1);
  CHECK(requests[1].content == std::vector<TokenRun>{{0, 512}, {1, 512}, {9, 512}});
  // What is left of the last block may go without an id.
  CHECK(requests[2].content == std::vector<TokenRun>{{4, 512}});
}

TEST_CASE("a broken Mooncake line is refused at its place") {
  for (const BrokenLine& broken : broken_lines) {
    CAPTURE(broken.text);
    const std::vector<TraceMistake> mistakes = mistakes_of(first_line + broken.text + "\n");
    REQUIRE(mistakes.size() == 1);
    CHECK(mistakes[0].line == 2);
    CHECK(mistakes[0].column == broken.column);
    CHECK_MESSAGE(mistakes[0].message.find(broken.says) != std::string::npos, mistakes[0].message);
  }
  const std::string later = "{\"timestamp\": 9, \"input_length\": 6, \"output_length\": 5, \"hash_ids\": []}\n";
  const std::vector<TraceMistake> mistakes = mistakes_of(later + first_line + "\n" + later);
  REQUIRE(mistakes.size() == 1);
  CHECK(mistakes[0].message ==
        "earlier than line 1; rows stand in the order of their arrival, so sort the file by it, or say "
        "`backward_time: sort`, `segment` or `drop`");
  CHECK(mistakes[0].column == 15);
}

TEST_CASE("whatever bytes a Mooncake trace holds, it is read whole or refused with a place inside it") {
  const std::string letters = ",\n \"0123456789.:-{}[]e\\";
  std::int64_t refused = 0;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    Stream chance(seed, "mutations");
    const std::string text = mutated(first_line + first_line, letters, chance);
    CAPTURE(text);
    for (const TraceMistake& mistake : mistakes_of(text)) {
      ++refused;
      REQUIRE(mistake.column >= 1);
      REQUIRE(mistake.column <= static_cast<std::int64_t>(mistake.text.size()) + 1);
    }
  }
  CHECK(refused > 2000);
}

TEST_CASE("the Mooncake conversation trace is read to its last row, block and token") {
  const auto path = shared_file("data/traces/mooncake_conversation_trace.jsonl");
  if (!path) return;
  std::int64_t rows = 0;
  std::int64_t blocks = 0;
  std::int64_t input = 0;
  std::int64_t output = 0;
  std::int64_t single_tokens = 0;
  Time last{};
  for (const Request& request : read_trace(path->string())) {
    ++rows;
    blocks += static_cast<std::int64_t>(request.content.size());
    input += request.input_tokens;
    output += request.output_tokens;
    single_tokens += request.output_tokens == 1 ? 1 : 0;
    last = request.arrival;
  }
  CHECK(rows == 12031);
  CHECK(blocks == 288500);
  CHECK(input / rows == 12035);
  CHECK(output / rows == 342);  // 342.6, which the reference rounds to 343
  CHECK(single_tokens == 72);
  CHECK(last == Time(std::chrono::milliseconds(3536999)));
}

TEST_CASE("prompts of one group of our own traces begin alike, and say how long") {
  const std::vector<Request> requests = parse_trace(
      "arrival_s,input_tokens,output_tokens,prefix_group,prefix_tokens\n0,100,5,help,80\n1,90,5,help,80\n2,90,5,,\n"
      "3,90,5,sales,90\n",
      "t.csv");
  REQUIRE(requests.size() == 4);
  REQUIRE(requests[0].content.size() == 1);
  CHECK(requests[0].content[0].tokens == 80);
  CHECK(requests[1].content == requests[0].content);
  CHECK(requests[2].content.empty());
  CHECK(requests[3].content[0].key != requests[0].content[0].key);

  const std::string head = "arrival_s,input_tokens,output_tokens,prefix_group,prefix_tokens\n";
  CHECK(mistakes_of(head + "0,100,5,help,101\n").at(0).message.find("at most input_tokens") != std::string::npos);
  CHECK(mistakes_of(head + "0,100,5,help,\n").at(0).message.find("or neither") != std::string::npos);
  CHECK(mistakes_of(head + "0,100,5,,7\n").at(0).column == 10);
  CHECK(mistakes_of("arrival_s,input_tokens,output_tokens,prefix_group\n0,1,1,a\n")
            .at(0)
            .message.find("no column 'prefix_tokens'") != std::string::npos);
}

}  // namespace decodesim::tests
