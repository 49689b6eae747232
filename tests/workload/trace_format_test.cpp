#include <doctest/doctest.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "sim/core/random.hpp"
#include "sim/workload/traces/format.hpp"
#include "sim/workload/traces/trace.hpp"
#include "tests/support/read_text.hpp"

namespace decodesim {

namespace {

std::vector<Request> parsed(std::string_view text) { return parse_trace(text, "t"); }

/// The only arrival of a trace whose second row (the first is at time zero) arrives at `field`.
std::int64_t arrival_of(const std::string& column, const std::string& field) {
  const auto requests = parsed(column + ",input_tokens,output_tokens\n0,1,1\n" + field + ",1,1\n");
  return requests.at(1).arrival.time_since_epoch().count();
}

std::int64_t azure_arrival(const std::string& first, const std::string& second) {
  const auto requests = parsed("TIMESTAMP,ContextTokens,GeneratedTokens\n" + first + ",1,1\n" + second + ",1,1");
  REQUIRE(requests.at(0).arrival == Time{});
  return requests.at(1).arrival.time_since_epoch().count();
}

/// Requests of every kind a trace can hold: ties in time, names with commas and quotes, limits and priorities.
std::vector<Request> any_requests(std::uint64_t seed) {
  Stream chance(seed, "requests");
  const std::vector<std::string> ids{"", "a", "chat 7", "a,b", "\"quoted\"", " blank ", "#", "x: y", "\xC3\xA9"};
  std::vector<Request> requests;
  Time now{};
  const std::int64_t count = chance.integer(1, 40);
  const bool named = chance.integer(0, 1) == 1;
  const bool limited = chance.integer(0, 1) == 1;
  const bool urgent = chance.integer(0, 1) == 1;
  const bool owned = chance.integer(0, 1) == 1;
  const bool classed = chance.integer(0, 1) == 1;
  const bool due = chance.integer(0, 1) == 1;
  const auto any_id = [&] {
    return ids[static_cast<std::size_t>(chance.integer(0, static_cast<std::int64_t>(ids.size()) - 1))];
  };
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t magnitude = chance.integer(0, 17);
    std::int64_t gap = chance.integer(0, 3);
    for (std::int64_t k = 0; k < magnitude && k < 12; ++k) gap *= 10;
    now += Duration(gap);
    Request request{.index = i, .id = {}, .arrival = now};
    request.input_tokens = chance.integer(1, magnitude == 0 ? 1'000'000'000 : 9000);
    request.output_tokens = chance.integer(1, 900);
    request.max_tokens = request.output_tokens + (limited ? chance.integer(0, 2) : 0);
    if (named) request.id = any_id();
    if (owned) request.tenant = any_id();
    if (classed) request.slo_class = any_id();
    if (due && chance.integer(0, 2) > 0) request.deadline = Duration(chance.integer(0, 9) * 123'456'789);
    if (urgent) request.priority = chance.integer(-3, 3);
    requests.push_back(request);
  }
  return requests;
}

}  // namespace

TEST_CASE("a trace that was written reads back as the same requests") {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const std::vector<Request> requests = any_requests(seed);
    std::ostringstream out;
    write_trace(requests, "any", out);
    CAPTURE(out.str());
    REQUIRE(parsed(out.str()) == requests);
  }
}

TEST_CASE("a written trace is short: only the columns that its requests need, only the decimals that time needs") {
  std::vector<Request> requests{{.index = 0, .id = {}, .arrival = {}, .input_tokens = 812, .output_tokens = 96}};
  requests[0].max_tokens = 96;
  requests.push_back(requests[0]);
  requests[1].arrival = Time(Duration(1'250'000'001));
  std::ostringstream out;
  write_trace(requests, "two", out);
  CHECK(out.str() ==
        "version: 1\nformat: decodesim-trace\nname: \"two\"\nrows: |\n"
        "  arrival_s,input_tokens,output_tokens\n  0,812,96\n  1.250000001,812,96\n");
}

TEST_CASE("what cannot be read back is not written") {
  std::ostringstream out;
  Request request{.index = 0, .id = "a\nb", .arrival = {}, .input_tokens = 1, .output_tokens = 1, .max_tokens = 1};
  CHECK_THROWS_AS(write_trace(std::vector{request}, "", out), std::invalid_argument);
  request.id = "a";
  CHECK_THROWS_AS(write_trace(std::vector{request}, "quoted\"", out), std::invalid_argument);
  Request earlier = request;
  request.arrival = Time(Duration(1));
  CHECK_THROWS_AS(write_trace(std::vector{request, earlier}, "", out), std::invalid_argument);
}

TEST_CASE("a YAML trace has a header of keys and comments, and its rows in one indented block") {
  const auto requests = parsed(
      "# two requests\n\nversion: 1  # the only one\nformat: decodesim-trace\nname: \"pair\"\nx-source: made by hand\n"
      "rows: |\n"
      "    arrival_s,input_tokens,output_tokens,id,max_tokens,priority,x-note\n"
      "    0,812,96,first,,,\n"
      "    0.25, 1024 , 7,\"second, last\",64,-2,whatever\n\n  \n");
  REQUIRE(requests.size() == 2);
  CHECK(requests[0] == Request{0, "first", Time{}, 812, 96, 96, 0});
  CHECK(requests[1] == Request{1, "second, last", Time(Duration(250'000'000)), 1024, 7, 64, -2});
}

TEST_CASE("a row may say whose it is, of which class, and by when it should be done") {
  const auto requests = parsed(
      "arrival_s,input_tokens,output_tokens,tenant,slo_class,deadline_s\n0,1,2,anna,chat,0.5\n1,3,4,,batch,\n2,5,6,"
      "bert,,"
      "0\n");
  REQUIRE(requests.size() == 3);
  CHECK(requests[0].tenant == "anna");
  CHECK(requests[0].slo_class == "chat");
  CHECK(requests[0].deadline == Duration(500'000'000));
  CHECK(requests[1].tenant == "");
  CHECK(requests[1].slo_class == "batch");
  CHECK(!requests[1].deadline);
  CHECK(requests[2].tenant == "bert");
  CHECK(requests[2].slo_class == "");
  CHECK(requests[2].deadline == Duration(0));
}

TEST_CASE("rows of one prefix group begin alike, and those of another do not, however alike their names are") {
  const std::vector<Request> requests = parse_trace(
      "arrival_s,input_tokens,output_tokens,prefix_group,prefix_tokens\n"
      "0,9,1,chat-1,5\n1,9,1,chat-1,7\n2,9,1,chat-2,5\n3,9,1,Chat-1,5\n4,9,1,c,5\n5,9,1,\"chat-1 \",5\n",
      "t");
  REQUIRE(requests.size() == 6);
  CHECK(requests[0].content.at(0).tokens == 5);
  CHECK(requests[1].content.at(0) == TokenRun{requests[0].content.at(0).key, 7});
  for (std::size_t i = 2; i < requests.size(); ++i) {
    for (std::size_t j = 1; j < i; ++j) CHECK(requests[i].content.at(0).key != requests[j].content.at(0).key);
  }
}

TEST_CASE("columns are found by name, whatever their order") {
  const auto requests = parsed("output_tokens,x-a,arrival_ns,input_tokens\n7,,3,5\n");
  REQUIRE(requests.size() == 1);
  CHECK(requests[0] == Request{0, "", Time(Duration(3)), 5, 7, 7, 0});
  // As Azure's files of 2025 have it: one more column, in the middle.
  const auto azure = parsed("TIMESTAMP,NumImages,ContextTokens,GeneratedTokens\n2025-01-01 00:00:00,3,5,7\n");
  REQUIRE(azure.size() == 1);
  CHECK(azure[0] == Request{0, "", Time{}, 5, 7, 7, 0});
}

TEST_CASE("lines end in LF, CRLF or the end of the file, and a byte order mark is no part of the first") {
  const auto wanted = parsed("arrival_s,input_tokens,output_tokens\n0,1,2\n1,3,4\n");
  REQUIRE(wanted.size() == 2);
  CHECK(parsed("arrival_s,input_tokens,output_tokens\r\n0,1,2\r\n1,3,4") == wanted);
  CHECK(parsed("arrival_s,input_tokens,output_tokens\n0,1,2\n1,3,4\n\n\n") == wanted);
  CHECK(parsed("\xEF\xBB\xBF# note\narrival_s,input_tokens,output_tokens\n0,1,2\n1,3,4") == wanted);
}

TEST_CASE("seconds become nanoseconds exactly, and what is finer is rounded half up") {
  CHECK(arrival_of("arrival_s", "1") == 1'000'000'000);
  CHECK(arrival_of("arrival_s", "0.000000001") == 1);
  CHECK(arrival_of("arrival_s", "1500158546.680590123") == 1'500'158'546'680'590'123);
  CHECK(arrival_of("arrival_s", "0.1") == 100'000'000);
  CHECK(arrival_of("arrival_s", ".5") == 500'000'000);
  CHECK(arrival_of("arrival_s", "5.") == 5'000'000'000);
  CHECK(arrival_of("arrival_s", "0.30000000000000004") == 300'000'000);
  CHECK(arrival_of("arrival_s", "0.0000000005") == 1);
  CHECK(arrival_of("arrival_s", "0.00000000049999999999999999999") == 0);
  CHECK(arrival_of("arrival_s", "6e-06") == 6'000);
  CHECK(arrival_of("arrival_s", "1.5E+2") == 150'000'000'000);
  CHECK(arrival_of("arrival_s", "0e900") == 0);
  CHECK(arrival_of("arrival_s", "1e-900") == 0);
  CHECK(arrival_of("arrival_s", "000000000000000000000000000000001") == 1'000'000'000);
  CHECK(arrival_of("arrival_ns", "1576800000000000000") == 1'576'800'000'000'000'000);  // fifty years
}

TEST_CASE("every whole number of nanoseconds survives its way through decimal seconds") {
  Stream chance(1, "arrivals");
  for (int i = 0; i < 2000; ++i) {
    const std::int64_t ns = chance.integer(0, std::int64_t{1} << static_cast<int>(chance.integer(0, 60)));
    std::string decimals = std::to_string(1'000'000'000 + ns % 1'000'000'000);
    CHECK(arrival_of("arrival_s", std::to_string(ns / 1'000'000'000) + "." + decimals.substr(1)) == ns);
  }
}

TEST_CASE("timestamps count from the first row, to the nanosecond, across days, months, leap years and offsets") {
  CHECK(azure_arrival("2023-11-16 18:15:46.6805900", "2023-11-16 18:15:50.9951690") == 4'314'579'000);
  CHECK(azure_arrival("2023-11-16 18:15:46.6805900", "2023-11-16T18:15:46.680590001") == 1);
  CHECK(azure_arrival("2023-12-31 23:59:59.9999999", "2024-01-01 00:00:00") == 100);
  CHECK(azure_arrival("2024-02-28 12:00:00", "2024-03-01 12:00:00") == 2 * 86'400'000'000'000);
  CHECK(azure_arrival("2023-02-28 12:00:00", "2023-03-01 12:00:00") == 86'400'000'000'000);
  CHECK(azure_arrival("2060-02-29 00:00:00", "2100-03-01 00:00:00") == 14'610 * 86'400'000'000'000);
  // The files of 2024: an offset, six decimals, or none where they are zero.
  CHECK(azure_arrival("2024-05-12 00:00:00+00:00", "2024-05-12 00:00:00.009930+00:00") == 9'930'000);
  CHECK(azure_arrival("2024-05-12 02:00:00+02:00", "2024-05-12 00:00:01Z") == 1'000'000'000);
  CHECK(azure_arrival("2024-05-11 19:30:00-04:30", "2024-05-12 00:00:00.5") == 500'000'000);
  CHECK(azure_arrival("2024-05-12 02:00:00+0200", "2024-05-12 02:00:00+02") == 0);
}

TEST_CASE("a million rows are read, from a file, without loss") {
  const auto path = std::filesystem::temp_directory_path() / "decodesim-million-rows.yaml";
  {
    std::vector<Request> requests;
    for (std::int64_t i = 0; i < 1'000'000; ++i) {
      requests.push_back({i, "", Time(Duration(i * 1'234'567)), i % 8000 + 1, i % 700 + 1, i % 700 + 1, 0});
    }
    std::ofstream out(path, std::ios::binary);
    write_trace(requests, "million", out);
  }
  std::int64_t sum = 0;
  const std::vector<Request> requests = read_trace(path.string());
  for (const Request& request : requests) sum += request.input_tokens;
  std::filesystem::remove(path);
  CHECK(requests.size() == 1'000'000);
  CHECK(sum == 125 * (8000LL * 8001 / 2));
  CHECK(requests.back().arrival == Time(Duration(999'999LL * 1'234'567)));
}

TEST_CASE("a name with a control character is refused at its place, whichever format and column it stands in") {
  const auto refuses = [](const std::string& text, TraceFormat format, std::int64_t column) {
    const tests::ReadText read = tests::read_text(text, format);
    CAPTURE(text);
    REQUIRE(read.mistakes.size() == 1);
    CHECK(read.refused(text[0] == '{' ? 1 : 2, column, "a name holds no control character"));
  };
  for (const char* name : {"id", "tenant", "slo_class", "session", "cache_salt"})
    refuses("arrival_s,input_tokens,output_tokens," + std::string(name) + "\n0,1,1,a\x01z\n", TraceFormat::decodesim,
            7);
  refuses("arrival_s,input_tokens,output_tokens,prefix_group,prefix_tokens\n0,1,1,\"a\tz\",1\n", TraceFormat::decodesim,
          7);
  refuses("Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n5,m\x7Fm,4,2,6,c\n",
          TraceFormat::burstgpt, 3);
  refuses("input_tokens,output_tokens,arrival_time_us,prefix_group,prefix_length\n6,3,1,g\x1F,1\n", TraceFormat::blis,
          7);
  refuses("{\"input_length\": 2, \"output_length\": 5, \"session_id\": \"a\\nb\"}\n", TraceFormat::aiperf, 55);
  refuses("{\"timestamp\": 0, \"requests\": [{\"prompt_length\": 9, \"output_length\": 1, \"model\": \"a\\u0000\"}]}\n",
          TraceFormat::aibrix, 81);
}

TEST_CASE("docs/traces.md tells every column of our own rows") {
  std::ifstream file(std::string(DECODESIM_SOURCE_DIR) + "/docs/traces.md");
  const std::string page{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const std::size_t begin = page.find("**`decodesim`**");
  const std::string part = page.substr(begin, page.find("**`csv`**") - begin);
  for (const TraceKey& key : trace_format(TraceFormat::decodesim).keys) {
    CAPTURE(key.name);
    CHECK(part.find('`' + std::string(key.name) + '`') != std::string::npos);
  }
}

}  // namespace decodesim
