// What JsonWriter writes is valid JSON that says what was put in.

#include "sim/report/json_writer.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "sim/core/check.hpp"
#include "sim/report/utf8.hpp"

using namespace decodesim;
using Layout = JsonWriter::Layout;

namespace {

std::string written(const std::string& text) {
  std::ostringstream out;
  JsonWriter(out, Layout::line).value(std::string_view(text));
  return out.str();
}

}  // namespace

TEST_CASE("a document is indented by two spaces and its keys keep their order") {
  std::ostringstream out;
  JsonWriter json(out);
  json.begin_object().member("b", 1).member("a", true);
  json.member_array("list").value(1.5).begin_object().end_object().end_array();
  json.member_object("empty").end_object().end_object();
  CHECK(out.str() == "{\n  \"b\": 1,\n  \"a\": true,\n  \"list\": [\n    1.5,\n    {}\n  ],\n  \"empty\": {}\n}");
}

TEST_CASE("a line has a space after colons and between members and none between elements") {
  std::ostringstream out;
  JsonWriter json(out, Layout::line);
  json.begin_object().member_array("scheduled");
  json.begin_array().value("A").value(6).end_array().begin_array().value("B").value(1).end_array().end_array();
  json.member_array("preempted").value("C").end_array().end_object();
  CHECK(out.str() == R"({"scheduled": [["A",6],["B",1]], "preempted": ["C"]})");
}

TEST_CASE("every byte string becomes valid JSON, and what was UTF-8 reads back the same") {
  CHECK(written("a\"b\\c\n\t\x01\x7f") == R"("a\"b\\c\n\t\u0001\u007f")");
  CHECK(written("caf\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80") == "\"caf\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80\"");
  std::uint32_t state = 1;
  for (int round = 0; round < 5000; ++round) {
    std::string text;
    for (int i = 0; i <= round % 12; ++i) {
      state = state * 1664525u + 1013904223u;
      const std::uint32_t bits = state >> 16;
      text += static_cast<char>(bits % 3 == 0   ? 0xE0 + bits / 3 % 0x20
                                : bits % 3 == 1 ? 0x80 + bits / 3 % 0x40
                                                : bits / 3 % 0x80);
    }
    nlohmann::json parsed;
    REQUIRE_NOTHROW(parsed = nlohmann::json::parse(written(text)));
    bool valid = true;
    for (std::size_t at = 0; at < text.size() && valid;) {
      const std::size_t length = utf8_length(text, at);
      valid = length > 0;
      at += length;
    }
    if (valid) CHECK(parsed.get<std::string>() == text);
  }
}

TEST_CASE("what is not UTF-8 becomes the replacement character") {
  const std::string replacement = "\xEF\xBF\xBD";
  for (const char* bad : {"\xFF", "\x80", "\xC0", "\xC3", "\xC1"}) CHECK(written(bad) == '"' + replacement + '"');
  CHECK(written("\xED\xA0\x80") == '"' + replacement + replacement + replacement + '"');
  CHECK(written("\xC3"
                "A") == '"' + replacement + "A\"");
}

TEST_CASE("a double is the shortest text that reads back the same, and no number is null") {
  std::ostringstream out;
  JsonWriter json(out, Layout::line);
  json.begin_array().value(0.1).value(-0.0).value(15041.0).value(1e300);
  json.value(std::numeric_limits<double>::quiet_NaN()).value(std::numeric_limits<double>::infinity());
  json.value(std::optional<double>()).value(std::optional<double>(2.5)).end_array();
  CHECK(out.str() == "[0.1,0,15041,1e+300,null,null,null,2.5]");
}

TEST_CASE("integers keep all their digits") {
  std::ostringstream out;
  JsonWriter json(out, Layout::line);
  json.begin_array().value(std::numeric_limits<std::int64_t>::min()).value(std::numeric_limits<std::uint64_t>::max());
  json.end_array();
  CHECK(out.str() == "[-9223372036854775808,18446744073709551615]");
}

TEST_CASE("seconds keep every nanosecond") {
  std::ostringstream out;
  JsonWriter json(out, Layout::line);
  json.begin_array().seconds(Duration(1)).seconds(Duration(21'340'000)).seconds(Duration(3'000'000'000));
  json.seconds(Duration(9'007'199'254'740'993)).seconds(Duration(-1'500'000'000)).end_array();
  CHECK(out.str() == "[0.000000001,0.02134,3,9007199.254740993,-1.5]");
}

TEST_CASE("calls out of order are broken invariants") {
  std::ostringstream out;
  JsonWriter json(out);
  CHECK_THROWS_AS(json.end_object(), BrokenInvariant);
  json.begin_object();
  CHECK_THROWS_AS(json.value(1), BrokenInvariant);
  CHECK_THROWS_AS(json.end_array(), BrokenInvariant);
  json.key("a");
  CHECK_THROWS_AS(json.key("b"), BrokenInvariant);
}
