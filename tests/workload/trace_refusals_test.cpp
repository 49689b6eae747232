// Traces that are refused as a whole, or for a row that turns out to be wrong only when others have been read.

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/support/read_text.hpp"

namespace decodesim::tests {

namespace {

constexpr std::int64_t second = 1'000'000'000;

const std::string own = "arrival_s,input_tokens,output_tokens\n";

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// The only mistake of a text.
TraceMistake mistake_of(const std::string& text, const TraceSpec& spec,
                        std::optional<std::int64_t> longest = std::nullopt) {
  const ReadText read = read_text(text, spec, 1, longest);
  CAPTURE(text);
  REQUIRE(read.mistakes.size() == 1);
  return read.mistakes[0];
}

TraceSpec of_format(TraceFormat format) {
  TraceSpec spec;
  spec.format = format;
  return spec;
}

TraceSpec declared(const std::string& arrival) {
  TraceSpec spec = of_format(TraceFormat::csv);
  spec.columns.arrival = arrival;
  spec.columns.input_tokens = "i";
  spec.columns.output_tokens = "o";
  return spec;
}

}  // namespace

TEST_CASE("a window that holds no row is refused, with how far the trace reaches") {
  const std::string text = own + "2.5,1,1\n3,1,1\n7,1,1\n";
  TraceSpec spec;
  spec.start = Duration(8 * second);
  TraceMistake mistake = mistake_of(text, spec);
  CHECK(mistake.line == 0);
  CHECK(
      mistake.message ==
      "no request is left of 3 rows: 3 before the start of the window; they reach from 2.5 s to 7 s of the trace's own "
      "time, before any scaling: choose a `start` and a `duration` within");
  // The end of a window is no part of it, its beginning is.
  spec.start = Duration(7 * second);
  CHECK(read_text(text, spec).requests.size() == 1);
  spec.start = {};
  spec.duration = Duration(2 * second + second / 2);
  CHECK(has(mistake_of(text, spec).message, "3 after the end of the window"));
  *spec.duration += Duration(1);
  CHECK(read_text(text, spec).requests.size() == 1);
  // In a hole in between.
  spec.start = Duration(4 * second);
  spec.duration = Duration(second);
  spec.time_scale = 100;
  CHECK(has(mistake_of(text, spec).message,
            "2 before the start of the window, 1 after the end of the window; they reach from 2.5 s to 7 s"));
}

TEST_CASE("the reach of a clock that does not begin at zero, or whose rows are sorted, is that of the window") {
  TraceSpec spec = declared("t");
  spec.backward_time = BackwardPolicy::sort;
  spec.start = Duration(60 * second);
  CHECK(has(mistake_of("t,i,o\n150,1,1\n100,1,1\n159,1,1\n", spec).message, "from 0 s to 59 s"));
}

TEST_CASE("policies that leave nothing of a trace refuse it, with what they left out") {
  TraceSpec spec;
  spec.zero_output = RowPolicy::drop;
  CHECK(mistake_of(own + "0,1,0\n1,1,0\n", spec).message ==
        "no request is left of 2 rows: 2 no output tokens; keep some by another policy, such as clip in place of drop");
  spec.over_context = RowPolicy::drop;
  CHECK(has(mistake_of(own + "0,1,0\n1,9,9\n", spec, 10).message,
            "1 no output tokens, 1 longer than the context of the server; keep"));
}

TEST_CASE("a trace without rows is told what a row of its format is") {
  const auto says = [](const std::string& text, TraceFormat format) {
    return mistake_of(text, of_format(format)).message;
  };
  CHECK(has(says("\n", TraceFormat::mooncake), "a JSON object on a line of its own"));
  CHECK(has(says("{\"input_lens\": [], \"output_lens\": []}", TraceFormat::vllm_bench), "the lists are empty"));
  CHECK(has(says("", TraceFormat::vllm_bench), "expected '{' at the beginning of the file"));
  CHECK(has(says("arrived_at,num_prefill_tokens,num_decode_tokens\n", TraceFormat::vidur), "below the names"));
}

TEST_CASE("the line of a trace that has only a header is shown as it stands in the file") {
  for (const char* end : {"", "\n", "\r\n", "\n\n"}) {
    const TraceMistake mistake = mistake_of("arrival_s,input_tokens,output_tokens" + std::string(end), {});
    CHECK(mistake.text == (std::string(end) == "\n\n" ? "" : "arrival_s,input_tokens,output_tokens"));
  }
}

TEST_CASE("a column that is declared to be two things is refused by both their names") {
  TraceSpec spec = declared("a");
  spec.columns.input_tokens = "a";
  CHECK(mistake_of("a,o\n1,2\n", spec).message ==
        "the column 'a' is declared to be both arrival and input_tokens: a column is one thing, so name another for "
        "one of "
        "them");
  spec.columns.input_tokens = "i";
  spec.columns.tenant = spec.columns.slo_class = "m";
  CHECK(has(mistake_of("a,i,o,m\n1,2,3,x\n", spec).message, "'m' is declared to be both tenant and slo_class"));
}

TEST_CASE("a declared column of dates in place of times, or of times in place of dates, is told how to be declared") {
  CHECK(has(mistake_of("t,i,o\n2024-01-01 00:00:00,1,2\n", declared("t")).message,
            "this is a date: declare `timestamp: t` in place of `arrival`"));
  TraceSpec spec = declared("");
  spec.columns.timestamp = "t";
  CHECK(has(mistake_of("t,i,o\n12.5,1,2\n", spec).message,
            "this is a number: declare `arrival: t` in place of `timestamp`"));
  CHECK_FALSE(has(mistake_of("t,i,o\nsoon,1,2\n", spec).message, "declare"));
}

TEST_CASE("columns that do not say when rows come let all come at once, counted, and leave times without effect") {
  TraceSpec spec = declared("");
  const ReadText read = read_text("i,o\n1,2\n3,4\n", spec);
  REQUIRE(read.requests.size() == 2);
  CHECK(read.arrivals() == std::vector<std::int64_t>{0, 0});
  CHECK(read.counted("no column of arrivals", "all at once") == 2);
  spec.start = Duration(1);
  spec.duration = Duration(1);
  spec.spread = SpreadPolicy::uniform;
  spec.backward_time = BackwardPolicy::sort;
  spec.time_unit = TimeUnit::ms;
  const ReadText refused = read_text("i,o\n1,2\n3,4\n", spec);
  REQUIRE(refused.mistakes.size() == 5);
  for (std::size_t i = 0; i < 5; ++i) {
    CHECK(has(refused.mistakes[i].message,
              std::vector<std::string>{"start", "duration", "spread", "backward_time", "time_unit"}[i]));
    CHECK(has(refused.mistakes[i].message, i < 4 ? "so that all come at once" : "no column has a time"));
  }
  // A date has its unit, and says when.
  spec = declared("");
  spec.columns.timestamp = "t";
  const ReadText dated = read_text("t,i,o\n2024-01-01 00:00:00,1,2\n", spec);
  CHECK(dated.account.exceptions.empty());
  CHECK(dated.account.time_unit.empty());
  spec.time_unit = TimeUnit::ms;
  CHECK(has(mistake_of("t,i,o\n2024-01-01 00:00:00,1,2\n", spec).message, "have a unit already"));
}

TEST_CASE("a row that scaling puts too far away is shown at its own place, once, with a scale that would do") {
  const std::string text = own + "0,1,1\n1800000000,7,7\n900000000,8,8\n 1000000000,9,9\n2000000000,6,6\n5,1,1\n";
  for (const SpreadPolicy spread : {SpreadPolicy::none, SpreadPolicy::uniform}) {
    TraceSpec spec;
    spec.backward_time = BackwardPolicy::sort;
    spec.spread = spread;
    spec.time_scale = 1.7;
    TraceMistake mistake = mistake_of(text, spec);
    CHECK(mistake.line == 5);
    CHECK(mistake.column == 2);
    CHECK(mistake.text == " 1000000000,9,9");
    CHECK(has(mistake.message,
              "this row and 2 more come more than fifty years after the start, and a run ends after a hundred: say "
              "`time_scale: "));
    const std::size_t at = mistake.message.find("time_scale: ") + 12;
    spec.time_scale = std::stod(mistake.message.substr(at));
    CHECK(spec.time_scale == doctest::Approx(spread == SpreadPolicy::none ? 0.788 : 0.72).epsilon(0.1));
    CHECK(read_text(text, spec, 1).mistakes.empty());
    spec.time_scale = 1;
    spec.rate_scale = 1 / 1.7;
    mistake = mistake_of(text, spec);
    CHECK(mistake.line == 5);
    const std::size_t rate = mistake.message.find("`rate_scale: ");
    REQUIRE(rate != std::string::npos);
    spec.rate_scale = std::stod(mistake.message.substr(rate + 13));
    CHECK(read_text(text, spec, 1).mistakes.empty());
  }
}

TEST_CASE("a pause that scaling makes too long is shown at its row") {
  TraceSpec spec;
  spec.time_scale = 1000;
  const TraceMistake mistake = mistake_of(
      "arrival_s,input_tokens,output_tokens,session,think_time_s\n0,1,1,a,\n,1,1,a,100000000\n1,1,1,b,\n", spec);
  CHECK(mistake.line == 3);
  CHECK(has(
      mistake.message,
      "this row comes more than fifty years after the start, and a run ends after a hundred: say `time_scale: 15.7` or "
      "less"));
}

TEST_CASE("requests of a JSON document are named by their place in its lists, and shown at their line") {
  const std::string text =
      "{\"input_lens\": [4, 5, 6],\n \"output_lens\": [1,\n 1, 1],\n \"start_times\": [3,\n  4.5,\n  4]}";
  const TraceMistake mistake = mistake_of(text, of_format(TraceFormat::vllm_bench));
  CHECK(mistake.line == 6);
  CHECK(mistake.column == 3);
  CHECK(mistake.message == "request 2 is earlier than request 1: say `backward_time: sort`, `segment` or `drop`");
  TraceSpec spec = of_format(TraceFormat::vllm_bench);
  spec.backward_time = BackwardPolicy::sort;
  spec.over_context = RowPolicy::reject;
  const ReadText read = read_text(text, spec, 1, 6);
  REQUIRE(read.mistakes.size() == 1);
  CHECK(read.mistakes[0].line == 1);
  CHECK(read.mistakes[0].column == 23);
  spec.over_context = RowPolicy::keep;
  spec.time_scale = 1e9;
  spec.rate_scale = 1e-9;
  CHECK(mistake_of(text, spec).line == 6);
}

TEST_CASE("a trace of another format than was stated is told so once, with the formats that it may be of") {
  const std::string burst =
      "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n5,m,4,2,6,c\n6,m,4,2,6,c\n";
  for (const TraceFormat format : {TraceFormat::mooncake, TraceFormat::vidur, TraceFormat::servegen,
                                   TraceFormat::vllm_bench, TraceFormat::decodesim}) {
    const TraceMistake mistake = mistake_of(burst, of_format(format));
    CHECK(mistake.line == 1);
    CHECK(has(mistake.message, "this does not look like a trace of format "));
    CHECK(has(mistake.message, "its first line has the columns 'Timestamp', 'Model', "));
    CHECK(has(mistake.message, "which are another's: `format: burstgpt`"));
  }
  const std::string moon = "{\"timestamp\": 0, \"input_length\": 5, \"output_length\": 5, \"hash_ids\": [1]}\n";
  for (const TraceFormat format : {TraceFormat::burstgpt, TraceFormat::aibrix, TraceFormat::csv}) {
    TraceSpec spec = declared("t");
    spec.format = format;
    CHECK(has(mistake_of(moon + moon, spec).message,
              "has the keys 'timestamp', 'input_length', 'output_length', 'hash_ids'"));
    CHECK(has(mistake_of(moon + moon, spec).message, "`format: mooncake`"));
  }
  const std::string qwen =
      "{\"chat_id\": 1, \"parent_chat_id\": -1, \"timestamp\": 0, \"input_length\": 16, \"output_length\": 1, "
      "\"type\": "
      "\"text\", \"turn\": 1, \"hash_ids\": [5]}\n";
  CHECK(has(mistake_of(qwen + qwen, of_format(TraceFormat::mooncake)).message, "`format: qwen-bailian`"));
  // What is read as it is stated stays so.
  TraceSpec spec = declared("Timestamp");
  spec.columns.input_tokens = "Request tokens";
  spec.columns.output_tokens = "Response tokens";
  CHECK(read_text(burst, spec).requests.size() == 2);
  CHECK(read_text(moon, TraceFormat::aiperf).requests.size() == 1);
}

TEST_CASE("a scenario in place of a trace is told to be one") {
  const std::string text =
      "version: 1\nname: x\n# a server\nhardware: {node: hgx-h100}\nworkload:\n  num_requests: 5\n";
  const TraceMistake mistake = mistake_of(text, {});
  CHECK(mistake.line == 2 + 2);
  CHECK(has(mistake.message, "this is a scenario, since it has a 'hardware', and not a trace"));
  CHECK(has(mistake.message, "describe --scenario FILE"));
}

}  // namespace decodesim::tests
