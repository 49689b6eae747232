#include <doctest/doctest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "sim/core/random.hpp"
#include "sim/scenario/trace_diagnostics.hpp"
#include "sim/workload/request_source.hpp"
#include "sim/workload/traces/trace.hpp"

namespace decodesim {

namespace {

std::vector<TraceMistake> mistakes_of(std::string_view text) {
  try {
    parse_trace(text, "t.csv");
  } catch (const TraceError& error) {
    CHECK(error.file() == "t.csv");
    CHECK(!error.unreadable());
    return error.mistakes();
  }
  return {};
}

/// A broken text, and where and how it is refused.
struct Broken {
  std::string text;
  std::int64_t line;
  std::int64_t column;
  std::string says;  // part of the message
};

const std::string own = "arrival_s,input_tokens,output_tokens\n";
const std::string azure = "TIMESTAMP,ContextTokens,GeneratedTokens\n";
const std::string yaml = "version: 1\nformat: decodesim-trace\n";
const std::string row = "2023-11-16 18:15:46.6805900,374,44\n";

const std::vector<Broken> broken_texts{
    // The head.
    {"", 0, 1, "the file is empty"},
    {"\n# nothing\n\n", 3, 1, "the file is empty"},
    {own, 1, 37, "there are no rows"},
    {azure + "\n\n", 3, 1, "there are no rows"},
    {"0,374,44\n1,5,6\n", 1, 1, "this line should name the columns"},
    {"Timestamp,Request tokens,Response tokens\n5,472,18\n", 1, 1, "format: burstgpt"},
    {"TIMESTAMP,ContextTokens\n", 1, 1, "no column 'GeneratedTokens'"},
    {"ContextTokens,GeneratedTokens\n", 1, 1, "no column 'TIMESTAMP'"},
    {"arrival_s,output_tokens\n", 1, 1, "no column 'input_tokens'"},
    {"input_tokens,output_tokens\n", 1, 1, "no column 'arrival_s'"},
    {"arrival_s,input_tokens,output_tokens,prioritty\n", 1, 38, "did you mean 'priority'"},
    {"arrival_s,arrival_ns,input_tokens,output_tokens\n", 1, 1, "twice, as arrival_s and as arrival_ns"},
    {"arrival_s,input_tokens,output_tokens,input_tokens\n", 1, 38, "'input_tokens' is there twice"},
    {"TIMESTAMP,TIMESTAMP,ContextTokens,GeneratedTokens\n", 1, 11, "'TIMESTAMP' is there twice"},
    {"arrival_s,\"input_tokens,output_tokens\n", 1, 11, "quote is not closed"},
    // The header of a YAML trace.
    {"version: 2\nformat: decodesim-trace\nrows: |\n  " + own + "  0,1,1\n", 1, 10, "expected version: 1"},
    {"version: 1\nformat: other\nrows: |\n  " + own + "  0,1,1\n", 2, 9, "expected format: decodesim-trace"},
    {"version: 1\nrows: |\n  " + own + "  0,1,1\n", 2, 1, "no 'format'"},
    {"format: decodesim-trace\nrows: |\n  " + own + "  0,1,1\n", 2, 1, "no 'version'"},
    {yaml, 2, 1, "no 'rows'"},
    {yaml + "nmae: x\nrows: |\n  " + own + "  0,1,1\n", 3, 1, "did you mean 'name'"},
    {yaml + "name: x\nname: y\nrows: |\n  " + own + "  0,1,1\n", 4, 1, "'name' is there twice"},
    {yaml + "- a\nrows: |\n  " + own + "  0,1,1\n", 3, 1, "expected a line 'key: value'"},
    {yaml + "rows:\n  - {arrival: 0}\n", 3, 6, "expected 'rows: |'"},
    {yaml + "rows: |", 3, 8, "there are no rows"},
    {yaml + "rows: |\n" + own, 4, 1, "indented by at least one blank"},
    {yaml + "rows: |\n  " + own, 4, 39, "there are no rows"},
    {yaml + "rows: |\n  " + own + "  0,1,1\n x\n", 6, 2, "indented by 2"},
    {yaml + "rows: |\n  " + own + "  0,1,1\nname: late\n", 6, 1, "nothing follows the rows"},
    {yaml + "rows: |\n  " + own + "  0,1,x\n", 5, 7, "output_tokens is 'x'"},
    // Rows.
    {own + "0,1\n", 2, 4, "expected 3 fields, as there are names of columns; found 2"},
    {own + "0,1,1,1\n", 2, 7, "found 4"},
    {own + "0,1,1\n1,1,\"1\n", 3, 5, "quote is not closed"},
    {own + "0,1,1\n1,1,\"1\" 2\n", 3, 5, "quote is not closed"},
    // Tokens.
    {own + "0,abc,1\n", 2, 3, "input_tokens is 'abc': expected a whole number"},
    {own + "0,,1\n", 2, 3, "expected a whole number"},
    {own + "0,12.0,1\n", 2, 3, "expected a whole number"},
    {own + "0,0x10,1\n", 2, 3, "expected a whole number"},
    {own + "0,+5,1\n", 2, 3, "expected a whole number"},
    {own + "0,1,0\n", 2, 5, "at least 1 token"},
    {own + "0,-1,1\n", 2, 3, "not negative"},
    {own + "0,1000000001,1\n", 2, 3, "at most 1000000000"},
    {own + "0,99999999999999999999,1\n", 2, 3, "fits 64 bits"},
    {azure + row + "2023-11-16 18:15:47,0,44\n", 3, 21, "ContextTokens is '0': a request has at least 1 token"},
    {"arrival_s,input_tokens,output_tokens,max_tokens\n0,1,9,8\n", 2, 7, "expected at least output_tokens"},
    {"arrival_s,input_tokens,output_tokens,max_tokens\n0,1,9,0\n", 2, 7, "at least 1 token"},
    {"arrival_s,input_tokens,output_tokens,priority\n0,1,9,high\n", 2, 7, "priority is 'high'"},
    {"arrival_s,input_tokens,output_tokens,deadline_s\n0,1,9,soon\n", 2, 7, "deadline_s is 'soon'"},
    {"arrival_s,input_tokens,output_tokens,deadline_s\n0,1,9,2e9\n", 2, 7, "at most fifty years"},
    // Arrivals.
    {own + "abc,1,1\n", 2, 1, "arrival_s is 'abc': expected decimal seconds"},
    {own + ",1,1\n", 2, 1, "expected a time"},
    {own + "nan,1,1\n", 2, 1, "expected decimal seconds"},
    {own + "inf,1,1\n", 2, 1, "expected decimal seconds"},
    {own + "1e,1,1\n", 2, 1, "expected decimal seconds"},
    {own + "1e5x,1,1\n", 2, 1, "expected decimal seconds"},
    {own + "1.2.3,1,1\n", 2, 1, "expected decimal seconds"},
    {own + ".,1,1\n", 2, 1, "expected decimal seconds"},
    {own + "-1,1,1\n", 2, 1, "before time zero"},
    {own + "1e300,1,1\n", 2, 1, "at most 2^62 ns"},
    {own + "4611686019,1,1\n", 2, 1, "at most 2^62 ns"},
    {own + "99999999999999999999999999999,1,1\n", 2, 1, "at most 2^62 ns"},
    {"arrival_ns,input_tokens,output_tokens\n1.5,1,1\n", 2, 1, "expected a whole number"},
    {"arrival_ns,input_tokens,output_tokens\n-1,1,1\n", 2, 1, "before time zero"},
    {"arrival_ns,input_tokens,output_tokens\n4611686018427387905,1,1\n", 2, 1, "at most 2^62 ns"},
    {own + "0,1,1\n2,1,1\n1.999999999,1,1\n", 4, 1, "earlier than line 3"},
    {azure + row + "2023-11-16 18:15:46.6805899,374,44\n", 3, 1, "earlier than line 2"},
    {azure + "2023-11-16,374,44\n", 2, 1, "expected a date and a time"},
    {azure + "2023-11-16 18:15,374,44\n", 2, 1, "expected a date and a time"},
    {azure + "2023-11-16 18:15:46.,374,44\n", 2, 1, "expected a date and a time"},
    {azure + "2023-11-16 18:15:46.1234567890,374,44\n", 2, 1, "at most nine decimals"},
    {azure + "2023-11-16 18:15:46 UTC,374,44\n", 2, 1, "expected a date and a time"},
    {azure + "2023-11-16 18:15:46+25:00,374,44\n", 2, 1, "expected a date and a time"},
    {azure + "16.11.2023 18:15:46,374,44\n", 2, 1, "expected a date and a time"},
    {azure + "2023-02-29 18:15:46,374,44\n", 2, 1, "no such day"},
    {azure + "2023-13-01 18:15:46,374,44\n", 2, 1, "no such day"},
    {azure + "2023-11-16 24:00:00,374,44\n", 2, 1, "time of day"},
    {azure + "1969-11-16 18:15:46,374,44\n", 2, 1, "a year from 1970"},
    {azure + "5.25,374,44\n", 2, 1, "TIMESTAMP is '5.25'"},
};

}  // namespace

TEST_CASE("a broken trace is refused at the line and column of its first mistake, with what was expected") {
  for (const Broken& broken : broken_texts) {
    CAPTURE(broken.text);
    const auto mistakes = mistakes_of(broken.text);
    REQUIRE(!mistakes.empty());
    CAPTURE(mistakes[0].message);
    CHECK(mistakes[0].line == broken.line);
    CHECK(mistakes[0].column == broken.column);
    CHECK(mistakes[0].message.find(broken.says) != std::string::npos);
  }
}

TEST_CASE("all mistakes of a trace are told at once, up to 20") {
  const auto few = mistakes_of(own + "0,y,x\n1,1,1\n0.5,1,1\n-3,1\n2,1,1\n");
  REQUIRE(few.size() == 4);
  CHECK(few[0].line == 2);
  CHECK(few[0].column == 3);
  CHECK(few[1].column == 5);
  CHECK(few[2].line == 4);
  CHECK(few[3].line == 5);
  std::string many = own;
  for (int i = 0; i < 1000; ++i) many += "0,0,0\n";
  CHECK(mistakes_of(many).size() == 20);
}

TEST_CASE("mistakes are listed with their places, a line each") {
  const TraceError error("trace.csv", {{3, 5, "output_tokens is '0': no", "1,1,0"}, {4, 1, "late", "x"}});
  CHECK(std::string(error.what()) == "trace.csv:3:5: output_tokens is '0': no\ntrace.csv:4:1: late");
}

TEST_CASE("a line of a mistake is cut where it is very long, and its place stays right") {
  const auto mistakes = mistakes_of(own + "0,1," + std::string(100'000, '1') + "\n");
  REQUIRE(mistakes.size() == 1);
  CHECK(mistakes[0].column == 5);
  CHECK(mistakes[0].text.size() == 200);
  CHECK(mistakes[0].message.size() < 200);
}

TEST_CASE("as diagnostics, mistakes of a trace count their columns in characters") {
  const TraceError error("trace.csv", {{3, 6, "bad", "\xC3\xA9,1,0"}, {4, 1, "late", "x"}});
  const auto diagnostics = trace_diagnostics(error);
  REQUIRE(diagnostics.size() == 2);
  CHECK(diagnostics[0].file == "trace.csv");
  CHECK(diagnostics[0].line == 3);
  CHECK(diagnostics[0].column == 5);
  CHECK(diagnostics[1].column == 1);
}

TEST_CASE("a file that is missing or is a folder cannot be read, which is no mistake of its content") {
  const auto folder = std::filesystem::temp_directory_path();
  const std::string missing = (folder / "decodesim-no-such-trace.csv").string();
  for (const std::string& path : {missing, folder.string()}) {
    try {
      read_trace(path);
      FAIL("was read");
    } catch (const TraceError& error) {
      CHECK(error.unreadable());
      CHECK(error.file() == path);
      CHECK(std::string(error.what()).find(path + ": ") == 0);
    }
    WorkloadSpec workload;
    workload.kind = WorkloadKind::trace;
    workload.trace.file = path;
    CHECK_THROWS_AS(make_request_source(workload, 1), TraceError);
  }
}

TEST_CASE("a source refuses a trace whose last row is broken before it gives the first") {
  const auto path = std::filesystem::temp_directory_path() / "decodesim-broken-last-row.csv";
  std::ofstream(path) << own << "0,1,1\n1,1,0\n";
  WorkloadSpec workload;
  workload.kind = WorkloadKind::trace;
  workload.trace.file = path.string();
  CHECK_THROWS_AS(make_request_source(workload, 1), TraceError);
  std::filesystem::remove(path);
}

TEST_CASE("whatever bytes a trace holds, it is read whole or refused with a place inside it") {
  const std::string good =
      yaml + "rows: |\n  arrival_s,input_tokens,output_tokens,id\n  0,10,20,a\n  1.5,30,40,\"b\"\n  2e1,5,6,\n";
  const std::string letters = ",\n\r \t\"0123456789.:-+|#xeT\xC3\xA9";
  std::int64_t refused = 0;
  for (std::uint64_t seed = 0; seed < 5000; ++seed) {
    Stream chance(seed, "mutations");
    std::string text = good;
    for (std::int64_t edits = chance.integer(1, 4); edits > 0; --edits) {
      const auto place = static_cast<std::size_t>(chance.integer(0, static_cast<std::int64_t>(text.size()) - 1));
      const char letter =
          letters[static_cast<std::size_t>(chance.integer(0, static_cast<std::int64_t>(letters.size()) - 1))];
      switch (chance.integer(0, 3)) {
        case 0:
          text[place] = letter;
          break;
        case 1:
          text.insert(place, 1, letter);
          break;
        case 2:
          text.erase(place, 1);
          break;
        default:
          text.erase(place);
          break;
      }
      if (text.empty()) text += '\n';
    }
    CAPTURE(text);
    try {
      Time last{};
      for (const Request& request : parse_trace(text, "t")) {
        REQUIRE(request.arrival >= last);
        REQUIRE(request.input_tokens >= 1);
        REQUIRE(request.output_tokens >= 1);
        REQUIRE(request.max_tokens >= request.output_tokens);
        last = request.arrival;
      }
    } catch (const TraceError& error) {
      ++refused;
      REQUIRE(!error.mistakes().empty());
      std::int64_t line = 0;
      for (const TraceMistake& mistake : error.mistakes()) {
        REQUIRE(mistake.line >= line);
        REQUIRE(mistake.column >= 1);
        REQUIRE(mistake.column <= static_cast<std::int64_t>(mistake.text.size()) + 1);
        line = mistake.line;
      }
    }
  }
  CHECK(refused > 2000);
}

}  // namespace decodesim
