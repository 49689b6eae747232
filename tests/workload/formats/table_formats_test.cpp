// Formats that are a table of names: Azure's, Qwen-Bailian's, vidur's, splitwise-sim's and what the user declares.

#include <doctest/doctest.h>

#include <set>

#include "sim/workload/traces/format.hpp"
#include "tests/support/read_text.hpp"

namespace decodesim::tests {

TEST_CASE("every format that can be said is in the table, once and under one name") {
  std::set<std::string> names;
  for (const TraceFormatInfo* format : trace_formats()) {
    names.insert(std::string(format->name));
    CHECK(&trace_format(format->format) == format);
    CHECK_FALSE(format->summary.empty());
  }
  CHECK(names.size() == 13);
}

TEST_CASE("times of Azure have any number of decimals up to nine, a blank or a T, and Z, an offset or nothing") {
  std::string text = "\xEF\xBB\xBFTIMESTAMP,ContextTokens,GeneratedTokens\r\n2024-05-12 00:00:00+00:00,1,1\r\n\r\n";
  std::vector<std::int64_t> wanted{0};
  std::string digits;
  std::int64_t value = 0;
  std::int64_t unit = 1'000'000'000;
  for (const char digit : std::string("123456789")) {
    digits += digit;
    unit /= 10;
    value += unit * (digit - '0');
    text += "2024-05-12T00:00:00." + digits + "Z,1,1\r\n";
    wanted.push_back(value);
  }
  text += "2024-05-12 02:00:01+02:00,1,1";
  wanted.push_back(1'000'000'000);
  const ReadText read = read_text(text, TraceFormat::told);
  CHECK(read.arrivals() == wanted);
  CHECK(read.account.format == "azure");
  CHECK(read_text(text + ".", TraceFormat::azure).mistakes.size() == 1);
  CHECK(read_text("TIMESTAMP,ContextTokens,GeneratedTokens\n2024-05-12 00:00:00.1234567891,1,1\n", TraceFormat::azure)
            .refused(2, 1, "at most nine decimals"));
}

TEST_CASE("a trace packed with gzip reads as the plain one, whatever its format") {
  const std::string text = "arrived_at,num_prefill_tokens,num_decode_tokens\n0.5,10,20\n1.5,30,40\n";
  const ReadText plain = read_text(text, TraceFormat::vidur);
  REQUIRE(plain.requests.size() == 2);
  const TemporaryFile file("t.csv.gz", gzipped(text));
  TraceSpec spec;
  spec.format = TraceFormat::vidur;
  CHECK(read_trace(file.path(), spec) == plain.requests);
}

TEST_CASE("a row of Qwen-Bailian is seconds and blocks of 16 tokens, whole in itself") {
  const ReadText read = read_text(
      "{\"chat_id\": 7, \"parent_chat_id\": -1, \"timestamp\": 61.114, \"input_length\": 34, \"output_length\": 5, "
      "\"type\": \"text\", "
      "\"turn\": 1, \"hash_ids\": [1, 2, 3]}\n"
      "{\"chat_id\": 9, \"parent_chat_id\": 7, \"timestamp\": 62, \"input_length\": 50, \"output_length\": 6, "
      "\"type\": \"thinking\", "
      "\"turn\": 2, \"hash_ids\": [1, 2, 4, 5]}\n",
      TraceFormat::qwen_bailian);
  REQUIRE(read.requests.size() == 2);
  CHECK(read.arrivals() == std::vector<std::int64_t>{61'114'000'000, 62'000'000'000});
  CHECK(read.requests[0].id == "7");
  CHECK(read.requests[0].slo_class == "text");
  CHECK(read.requests[0].content == std::vector<TokenRun>{{1, 16}, {2, 16}, {3, 2}});
  // The parent's context is in the row already, and the row has a time of its own.
  CHECK(read.requests[1].input_tokens == 50);
  CHECK(read.requests[1].session.empty());
}

TEST_CASE("rows of splitwise-sim are an LLM's, one prompt each") {
  const std::string head =
      "request_id,request_type,application_id,arrival_timestamp,batch_size,prompt_size,token_size\n";
  const ReadText read = read_text(head + "0,2,0,0.25,1,100,20\n1,2,0,0.5,1,30,4\n", TraceFormat::splitwise_sim);
  REQUIRE(read.requests.size() == 2);
  CHECK(read.arrivals() == std::vector<std::int64_t>{250'000'000, 500'000'000});
  CHECK(read.requests[0].id == "0");
  CHECK(read.requests[1].input_tokens == 30);
  CHECK(read.requests[1].output_tokens == 4);
  CHECK(read_text(head + "0,1,0,0,1,100,20\n", TraceFormat::splitwise_sim).refused(2, 3, "expected 2"));
  CHECK(read_text(head + "0,2,0,0,8,100,20\n", TraceFormat::splitwise_sim).refused(2, 9, "one prompt"));
}

TEST_CASE("a file of lengths alone is refused, with what to do") {
  CHECK(read_text("num_prefill_tokens,num_decode_tokens,num_total_tokens,pd_ratio\n10,2,12,5\n", TraceFormat::vidur)
            .refused(1, 1, "give every row its arrival"));
}

TEST_CASE("declared columns of a CSV mean what they are declared to mean") {
  TraceSpec spec;
  spec.format = TraceFormat::csv;
  spec.time_unit = TimeUnit::ms;
  spec.columns = {.arrival = {},
                  .timestamp = "when",
                  .input_tokens = "in",
                  .output_tokens = "out",
                  .max_tokens = "most",
                  .id = {},
                  .priority = {},
                  .tenant = "who",
                  .slo_class = {},
                  .session = "talk",
                  .think_time = "pause"};
  const ReadText read = read_text(
      "x,when,in,out,most,talk,pause,who\n1,2024-02-29 23:59:59.5,10,2,8,a,0,\"b, "
      "c\"\n2,2024-03-01T00:00:00,20,3,3,a,250,d\n",
      spec);
  REQUIRE(read.requests.size() == 2);
  CHECK(read.arrivals() == std::vector<std::int64_t>{0, 500'000'000});
  CHECK(read.requests[0].max_tokens == 8);
  CHECK(read.requests[0].tenant == "b, c");
  CHECK(read.requests[1].session == "a");
  CHECK(read.requests[1].think_time == Duration(250'000'000));
  CHECK(read_text("when,in,out\n", spec).refused(1, 1, "there is no column 'most'"));
}

TEST_CASE("names that only the user can tell are refused with the format to state") {
  const auto refuses = [](const std::string& text, const std::string& format) {
    CAPTURE(text);
    const ReadText read = read_text(text, TraceFormat::told);
    REQUIRE(read.mistakes.size() == 1);
    CHECK_MESSAGE(read.mistakes[0].message.find("`format: " + format + '`') != std::string::npos,
                  read.mistakes[0].message);
  };
  refuses("arrived_at,num_prefill_tokens,num_decode_tokens\n", "vidur");
  refuses("input_tokens_x,arrival_timestamp,prompt_size,token_size\n", "splitwise-sim");
  refuses("{\"timestamp\": 1, \"requests\": []}\n", "aibrix");
  refuses("{\"timestamp\": 1, \"input_length\": 5, \"output_length\": 5, \"session_id\": \"a\"}\n", "aiperf");
  refuses("{\"chat_id\": 1, \"timestamp\": 1, \"input_length\": 5, \"output_length\": 5, \"hash_ids\": []}\n",
          "qwen-bailian");
  refuses("{\"duration\": 1, \"input_lens\": [], \"output_lens\": []}\n", "vllm-bench");
}

}  // namespace decodesim::tests
