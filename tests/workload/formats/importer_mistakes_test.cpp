// Mistakes that importers of others made, each named as what must hold here. They are numbered as in the project's notes on
// trace formats; those of generators and of reports are not an importer's.

#include <doctest/doctest.h>

#include <cmath>

#include "sim/workload/traces/reader.hpp"
#include "tests/support/read_text.hpp"

namespace decodesim::tests {

namespace {

constexpr std::int64_t ms = 1'000'000;

std::string mooncake_row(std::int64_t time, std::int64_t input, std::int64_t output, const std::string& ids) {
  return "{\"timestamp\": " + std::to_string(time) + ", \"input_length\": " + std::to_string(input) +
         ", \"output_length\": " + std::to_string(output) + ", \"hash_ids\": [" + ids + "]}\n";
}

TraceSpec spec_of(TraceFormat format) {
  TraceSpec spec;
  spec.format = format;
  return spec;
}

}  // namespace

TEST_CASE("1: no decimal of a time of day is cut off") {
  std::string text = "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:17:03.0000000,1,1\n";
  for (const char* fraction : {"0010000", "0020000", "0090000", "0110000", "0110001"})
    text += std::string("2023-11-16 18:17:03.") + fraction + ",1,1\n";
  CHECK(read_text(text, TraceFormat::azure).arrivals() ==
        std::vector<std::int64_t>{0, 1 * ms, 2 * ms, 9 * ms, 11 * ms, 11 * ms + 100});
}

TEST_CASE("2: vidur's times keep what is below a second, under the name that its files have") {
  const std::string rows = ",num_prefill_tokens,num_decode_tokens\n0.0,1,1\n0.9999995,1,1\n1.25,1,1\n";
  CHECK(read_text("arrived_at" + rows, TraceFormat::vidur).arrivals() ==
        std::vector<std::int64_t>{0, 999'999'500, 1'250'000'000});
  CHECK(read_text("arrival_time" + rows, TraceFormat::vidur).refused(1, 1, "there is no column 'arrived_at'"));
}

TEST_CASE("3: a row whose answer alone is longer than the context keeps a prompt of a token") {
  TraceSpec spec = spec_of(TraceFormat::vidur);
  spec.over_context = RowPolicy::clip;
  TraceReader reader(
      TraceBytes("arrived_at,num_prefill_tokens,num_decode_tokens\n0,50,5000\n0,5000,50\n0,60,40\n", "t"), spec, 100);
  const auto next = [&] {
    const Request* request = reader.next();
    REQUIRE(request != nullptr);
    return std::pair(request->input_tokens, request->output_tokens);
  };
  CHECK(next() == std::pair<std::int64_t, std::int64_t>(50, 50));
  CHECK(next() == std::pair<std::int64_t, std::int64_t>(99, 1));
  CHECK(next() == std::pair<std::int64_t, std::int64_t>(60, 40));
}

TEST_CASE("4: the unit of a time is its format's: milliseconds for Mooncake, seconds for Qwen-Bailian") {
  CHECK(read_text(mooncake_row(0, 1, 1, "") + mooncake_row(3000, 1, 1, ""), TraceFormat::mooncake).arrivals()[1] ==
        3000 * ms);
  const std::string bailian = mooncake_row(0, 1, 1, "1") + mooncake_row(3000, 1, 1, "1");
  CHECK(read_text(bailian, TraceFormat::qwen_bailian).arrivals()[1] == 3'000'000 * ms);
  TraceSpec spec = spec_of(TraceFormat::mooncake);
  spec.time_unit = TimeUnit::us;
  CHECK(read_text(mooncake_row(0, 1, 1, "") + mooncake_row(3000, 1, 1, ""), spec).arrivals()[1] == 3 * ms);
}

TEST_CASE("5: seconds since 1970 keep their decimals") {
  TraceSpec spec = spec_of(TraceFormat::csv);
  spec.columns.arrival = "t";
  spec.columns.input_tokens = "i";
  spec.columns.output_tokens = "o";
  CHECK(read_text("t,i,o\n1700158546.68,1,1\n1700158546.680000001,1,1\n1700158592.0,1,1\n", spec).arrivals() ==
        std::vector<std::int64_t>{0, 1, 45'320 * ms});
}

TEST_CASE("6: a prompt is as long as its row says, not as its hash ids and some size of block make it") {
  const ReadText read = read_text(
      mooncake_row(0, 6758, 500, "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13") + mooncake_row(0, 700, 5, ""),
      TraceFormat::mooncake);
  REQUIRE(read.requests.size() == 2);
  CHECK(read.requests[0].input_tokens == 6758);
  CHECK(read.requests[0].content.back().tokens == 6758 - 13 * 512);
  CHECK(read.requests[1].input_tokens == 700);
  CHECK(read.requests[1].content.empty());
  CHECK(read_text(mooncake_row(0, 6758, 500, "0, 1"), TraceFormat::mooncake).refused(1, 74, "has 14 blocks of 512"));
}

TEST_CASE("7: a time that is negative or no number is refused, neither played at once nor the end of the program") {
  for (const char* time : {"-1", "NaN", "inf", "1e400", "\"3\"", "null"}) {
    CAPTURE(time);
    const std::string row =
        std::string("{\"timestamp\": ") + time + ", \"input_length\": 1, \"output_length\": 1, \"hash_ids\": []}";
    const ReadText read = read_text(row, TraceFormat::mooncake);
    CHECK(read.mistakes.size() == 1);
  }
  CHECK(read_text("arrived_at,num_prefill_tokens,num_decode_tokens\n-0.5,1,1\n", TraceFormat::vidur).mistakes.size() ==
        1);
}

TEST_CASE("8: the size of a block is not fixed: a trace with another states it") {
  TraceSpec spec = spec_of(TraceFormat::mooncake);
  spec.block_size = 64;
  const ReadText read = read_text(mooncake_row(0, 130, 1, "4, 5, 6"), spec);
  REQUIRE(read.requests.size() == 1);
  CHECK(read.requests[0].content == std::vector<TokenRun>{{4, 64}, {5, 64}, {6, 2}});
}

TEST_CASE("9: hash ids of 64 bits stay apart, a partial block counts, and a turn follows the answer before it") {
  const ReadText ids =
      read_text(mooncake_row(0, 512, 1, "4294967297") + mooncake_row(0, 512, 1, "1"), TraceFormat::mooncake);
  REQUIRE(ids.requests.size() == 2);
  CHECK(ids.requests[0].content[0].key == 4'294'967'297u);
  CHECK(ids.requests[1].content[0].key == 1u);
  const ReadText partial = read_text(mooncake_row(0, 513, 1, "1, 2"), TraceFormat::mooncake);
  CHECK(partial.requests.at(0).content == std::vector<TokenRun>{{1, 512}, {2, 1}});
  const ReadText turns = read_text(
      "{\"session_id\": \"a\", \"timestamp\": 0, \"input_length\": 4190, \"output_length\": 592}\n"
      "{\"session_id\": \"a\", \"delay\": 1, \"input_length\": 592, \"output_length\": 1}\n",
      TraceFormat::aiperf);
  CHECK(turns.requests.at(1).input_tokens == 5374);
}

TEST_CASE("10: a block may end with one prompt and go on in another; a count of ids that fits neither way is refused") {
  const ReadText read =
      read_text(mooncake_row(0, 600, 1, "1, 2") + mooncake_row(0, 1024, 1, "1, 2"), TraceFormat::mooncake);
  REQUIRE(read.requests.size() == 2);
  CHECK(read.requests[0].content[1] == TokenRun{2, 88});
  CHECK(read.requests[1].content[1] == TokenRun{2, 512});
  CHECK(read_text(mooncake_row(0, 20, 1, "1, 2"), TraceFormat::mooncake).refused(1, 70, "has 1 blocks of 512"));
}

TEST_CASE("11: hash ids mean the same in all rows of a file, and columns that nobody needs do no harm") {
  const ReadText ids = read_text(
      "{\"chat_id\": 1, \"timestamp\": 0, \"input_length\": 16, \"output_length\": 1, \"hash_ids\": [5]}\n"
      "{\"chat_id\": 2, \"timestamp\": 1, \"input_length\": 16, \"output_length\": 1, \"hash_ids\": [5]}\n",
      TraceFormat::qwen_bailian);
  REQUIRE(ids.requests.size() == 2);
  CHECK(ids.requests[0].content == ids.requests[1].content);
  const ReadText wide =
      read_text("TIMESTAMP,NumImages,ContextTokens,GeneratedTokens\n2025-05-01 00:00:00Z,3,40,5\n", TraceFormat::azure);
  REQUIRE(wide.requests.size() == 1);
  CHECK(wide.requests[0].input_tokens == 40);
}

TEST_CASE("12: a number in quotes is refused where it stands") {
  CHECK(read_text("{\"timestamp\": 0, \"input_length\": \"100\", \"output_length\": 1, \"hash_ids\": []}",
                  TraceFormat::mooncake)
            .refused(1, 34, "without quotes"));
}

TEST_CASE("13: a scale of time takes gaps and think times alike") {
  TraceSpec spec = spec_of(TraceFormat::aiperf);
  spec.time_scale = 3;
  spec.rate_scale = 2;
  const ReadText read = read_text(
      "{\"session_id\": \"a\", \"timestamp\": 10, \"input_length\": 4, \"output_length\": 5}\n"
      "{\"session_id\": \"a\", \"delay\": 20, \"input_length\": 5, \"output_length\": 1}\n",
      spec);
  REQUIRE(read.requests.size() == 2);
  CHECK(read.requests[0].arrival == Time(Duration(15 * ms)));
  CHECK(read.requests[1].think_time == Duration(30 * ms));
}

TEST_CASE(
    "14: BurstGPT is read by name in each of its layouts, in full, without failed calls, and from where one likes") {
  const std::string first =
      "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n5,ChatGPT,472,18,490,Conversation log\n"
      "45,ChatGPT,1087,0,1087,Conversation log\n118,GPT-4,417,276,693,API log\n";
  const std::string third =
      "Timestamp,Session ID,Elapsed time,Model,Request tokens,Response tokens,Total tokens,Log Type\n"
      "5.0,1722ac82,43,ChatGPT,472,18,490,Conversation log\n45.0,,1,ChatGPT,1087,0,1087,Conversation log\n"
      "118.0,,2,GPT-4,417,276,693,API log\n";
  const ReadText read = read_text(first, TraceFormat::burstgpt);
  REQUIRE(read.requests.size() == 2);
  CHECK(read.counted("no output tokens", "dropped") == 1);
  CHECK(read.requests[1].tenant == "GPT-4");
  CHECK(read_text(third, TraceFormat::burstgpt).requests == read.requests);
  TraceSpec spec = spec_of(TraceFormat::burstgpt);
  spec.start = Duration(100'000 * ms);
  const ReadText late = read_text(first, spec);
  REQUIRE(late.requests.size() == 1);
  CHECK(late.arrivals()[0] == 13'000 * ms);
}

TEST_CASE(
    "15: phases keep their own rates, think times hold no service, and shares of reasoning are not dropped in "
    "silence") {
  const TemporaryFile lengths(
      "d.json",
      "{\"0\": {\"input_tokens\": \"{5: 1}\", \"output_tokens\": \"{6: 1}\", \"reason_ratio\": \"{0.5: 1}\"}}");
  TraceSpec spec = spec_of(TraceFormat::servegen);
  spec.second_file = lengths.path();
  const ReadText phases = read_text("0,5,1,Gamma,1,1\n600,10,1,Gamma,1,1\n", spec);
  REQUIRE(phases.requests.size() == 9000);
  CHECK(phases.requests[2999].arrival < Time(std::chrono::seconds(600)));
  CHECK(phases.requests[3000].arrival >= Time(std::chrono::seconds(600)));
  CHECK(phases.counted("a reason_ratio", "not split: reasoning is part of the output tokens") == 9000);
  // From start to start it is 900 us here, and from the answer on 400.
  const ReadText rounds = read_text(
      "input_tokens,output_tokens,arrival_time_us,last_chunk_time_us,session_id,round_index,think_time_us\n"
      "1,1,100,600,s,0,0\n1,1,1000,1400,s,1,400\n",
      TraceFormat::blis);
  REQUIRE(rounds.requests.size() == 2);
  CHECK(rounds.requests[1].think_time == Duration(400'000));
}

TEST_CASE("16: times and lengths stay those of the rows, regrouped into no ticks and replaced by no nearest prompts") {
  const ReadText read = read_text(
      "{\"timestamp\": 1, \"requests\": [{\"prompt_length\": 513, \"output_length\": 2}]}\n"
      "{\"timestamp\": 2, \"requests\": [{\"prompt_length\": 514, \"output_length\": 3}]}\n",
      TraceFormat::aibrix);
  CHECK(read.arrivals() == std::vector<std::int64_t>{1 * ms, 2 * ms});
  CHECK(read.requests.at(0).input_tokens == 513);
  CHECK(read.requests.at(1).input_tokens == 514);
}

TEST_CASE("18: a small shape is bursty") {
  const TemporaryFile lengths("d.json", "{\"0\": {\"input_tokens\": \"{5: 1}\", \"output_tokens\": \"{6: 1}\"}}");
  TraceSpec spec = spec_of(TraceFormat::servegen);
  spec.second_file = lengths.path();
  const auto longest_gap = [&](const std::string& shape) {
    const std::vector<std::int64_t> times = read_text("0,10,1,Gamma," + shape + ",1\n", spec).arrivals();
    std::int64_t longest = 0;
    for (std::size_t i = 1; i < times.size(); ++i) longest = std::max(longest, times[i] - times[i - 1]);
    return longest;
  };
  CHECK(longest_gap("0.1") > 2 * longest_gap("1"));
  CHECK(longest_gap("1") > 2 * longest_gap("10"));
}

TEST_CASE("20: a request of vLLM's client comes when it was sent, after its wait for a place") {
  CHECK(
      read_text("{\"input_lens\": [1, 1], \"output_lens\": [1, 1], \"start_times\": [10, 14], \"queue_times\": [0, 4]}",
                TraceFormat::vllm_bench)
          .arrivals() == std::vector<std::int64_t>{0, 4'000 * ms});
}

TEST_CASE("21: an answer of one token stays one") {
  const ReadText read = read_text(mooncake_row(0, 5, 1, ""), TraceFormat::mooncake);
  CHECK(read.requests.at(0).output_tokens == 1);
  CHECK(read.requests.at(0).max_tokens == 1);
  CHECK(read.account.exceptions.empty());
}

}  // namespace decodesim::tests
