// Quantities as people write them.

#include "sim/core/quantity_text.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <string>

namespace decodesim::tests {

namespace {

Value parsed(Kind kind, std::string_view text) {
  const ParsedValue result = parse_value(kind, text);
  CAPTURE(text);
  REQUIRE(result.ok());
  return result.value;
}

std::string problem(Kind kind, std::string_view text) {
  const ParsedValue result = parse_value(kind, text);
  CAPTURE(text);
  REQUIRE_FALSE(result.ok());
  return result.problem.code;
}

std::int64_t whole(Kind kind, std::string_view text) { return std::get<std::int64_t>(parsed(kind, text)); }
double real(Kind kind, std::string_view text) { return std::get<double>(parsed(kind, text)); }

}  // namespace

TEST_CASE("for tokens k is 1,024 and M is 1,024 k") {
  CHECK(whole(Kind::tokens, "4k") == 4096);
  CHECK(whole(Kind::tokens, "4 k") == 4096);
  CHECK(whole(Kind::tokens, "128k") == 131072);
  CHECK(whole(Kind::tokens, "1M") == 1048576);
  CHECK(whole(Kind::tokens, "1.5k") == 1536);
  CHECK(whole(Kind::tokens, "0.25k") == 256);
  CHECK(whole(Kind::tokens, "8192") == 8192);
}

TEST_CASE("elsewhere prefixes are decimal unless written KiB, MiB, GiB or TiB") {
  CHECK(real(Kind::bytes, "80 GB") == 80e9);
  CHECK(real(Kind::bytes, "80GB") == 80e9);
  CHECK(real(Kind::bytes, "80 GiB") == 85899345920.0);
  CHECK(real(Kind::bytes, "2 KiB") == 2048);
  CHECK(real(Kind::bytes, "2 kB") == 2000);
  CHECK(real(Kind::bytes, "2 KB") == 2000);
  CHECK(real(Kind::bytes, "1.5 TiB") == 1649267441664.0);
  CHECK(real(Kind::bandwidth, "26.8 TB/s") == 26.8e12);
  CHECK(real(Kind::bandwidth, "3.35 TB/s") == 3.35e12);
  CHECK(real(Kind::bandwidth, "1 GiB/s") == 1073741824.0);
  CHECK(real(Kind::flop_rate, "989.5 TFLOP/s") == 989.5e12);
  CHECK(real(Kind::request_rate, "5 req/s") == 5);
  CHECK(real(Kind::number, "70.55e9") == 70.55e9);
  CHECK(real(Kind::number, "7.055e+10") == 70.55e9);
}

TEST_CASE("memory is rounded to whole bytes") {
  CHECK(real(Kind::bytes, "79.18 GiB") == 85018877624.0);
  CHECK(real(Kind::bytes, "0.5 B") == 1);
}

TEST_CASE("times are whole nanoseconds, exactly, or refused") {
  CHECK(whole(Kind::duration, "21 ms") == 21'000'000);
  CHECK(whole(Kind::duration, "21.334567 ms") == 21'334'567);
  CHECK(whole(Kind::duration, "0.000000001 s") == 1);
  CHECK(whole(Kind::duration, "9.223372036854775807e9 s") == 9'223'372'036'854'775'807);
  CHECK(whole(Kind::duration, "1.5 min") == 90'000'000'000);
  CHECK(whole(Kind::duration, "2 h") == 7'200'000'000'000);
  CHECK(whole(Kind::duration, "0 s") == 0);
  CHECK(whole(Kind::duration, "100e-3 s") == 100'000'000);
  CHECK(problem(Kind::duration, "21.3345678 us") == "out-of-range");
  CHECK(problem(Kind::duration, "9223372037 s") == "out-of-range");
  CHECK(problem(Kind::duration, "9223372036854775808 ns") == "out-of-range");
}

TEST_CASE("a price's time is the nearest double to what is written") {
  CHECK(real(Kind::latency, "2.1 us") == 2.1e-6);
  CHECK(real(Kind::latency, "0.3 ms") == 3e-4);
}

TEST_CASE("a share is a number up to one or a percentage") {
  CHECK(real(Kind::fraction, "25 %") == 0.25);
  CHECK(real(Kind::fraction, "25%") == 0.25);
  CHECK(real(Kind::fraction, "0.25") == 0.25);
  CHECK(real(Kind::fraction, "99.9 %") == 0.999);
  CHECK(real(Kind::fraction, ".5") == 0.5);
}

TEST_CASE("what is no plain decimal number is refused") {
  for (const char* text :
       {"", " ", "abc", "0x10", "1..2", "--1", "+1", "1e", "e5", "1 2", "1k", "½", "1.5.5", "true", "~"}) {
    CHECK(problem(Kind::count, text) == "not-a-number");
  }
  for (const char* text : {"nan", ".NaN", "inf", "-.inf", "+.INF", "Infinity", "-infinity"})
    CHECK(problem(Kind::number, text) == "not-finite");
  for (const char* text : {"010", "00", "007 GB", "00.5"}) CHECK(problem(Kind::bytes, text) == "leading-zero");
  for (const char* text : {"-1", "-0.5", "-.5"}) CHECK(problem(Kind::number, text) == "out-of-range");
  for (const char* text : {"1e999", "1e400", "1e99999999999999999999"})
    CHECK(problem(Kind::number, text) == "out-of-range");
  for (const char* text : {"9223372036854775808", "1e19", "99999999999999999999999999"})
    CHECK(problem(Kind::count, text) == "out-of-range");
  for (const char* text : {"1,000", "1_000", "1,000,000"}) CHECK(problem(Kind::count, text) == "not-a-number");
  CHECK(problem(Kind::count, std::string(100, '1')) == "out-of-range");
  CHECK(whole(Kind::count, "9223372036854775807") == 9223372036854775807);
}

TEST_CASE("a number alone is no quantity where the kind has a unit") {
  for (Kind kind : {Kind::bytes, Kind::bandwidth, Kind::flop_rate, Kind::duration, Kind::latency, Kind::request_rate}) {
    CHECK(needs_unit(kind));
    CHECK(problem(kind, "5") == "missing-unit");
    CHECK(problem(kind, "5 parsecs") == "wrong-unit");
  }
  for (Kind kind : {Kind::count, Kind::tokens, Kind::fraction, Kind::number}) CHECK_FALSE(needs_unit(kind));
}

TEST_CASE("a value is written in the unit that makes it shortest") {
  CHECK(value_text(Kind::bytes, Value(80e9)) == "80 GB");
  CHECK(value_text(Kind::bytes, Value(85899345920.0)) == "80 GiB");
  CHECK(value_text(Kind::bytes, Value(0.0)) == "0 B");
  CHECK(value_text(Kind::bandwidth, Value(3.35e12)) == "3.35 TB/s");
  CHECK(value_text(Kind::flop_rate, Value(989.5e12)) == "989.5 TFLOP/s");
  CHECK(value_text(Kind::latency, Value(2.1e-6)) == "2.1 us");
  CHECK(value_text(Kind::request_rate, Value(5.0)) == "5 req/s");
  CHECK(value_text(Kind::fraction, Value(0.92)) == "0.92");
  CHECK(value_text(Kind::duration, Value(std::int64_t{3'000'000})) == "3 ms");
  CHECK(value_text(Kind::duration, Value(std::int64_t{1'500'000'000})) == "1.5 s");
  CHECK(value_text(Kind::duration, Value(std::int64_t{1})) == "1 ns");
  CHECK(value_text(Kind::duration, Value(std::int64_t{0})) == "0 s");
  CHECK(value_text(Kind::tokens, Value(std::int64_t{4096})) == "4096");
  CHECK(value_text(Kind::flag, Value(true)) == "true");
}

TEST_CASE("whatever is written reads back as the same value") {
  std::mt19937_64 random(7);
  for (int i = 0; i < 20000; ++i) {
    const std::uint64_t bits = random();
    const double magnitude =
        static_cast<double>(bits % 1'000'003) * std::ldexp(1.0, static_cast<int>(random() % 80) - 40);
    for (Kind kind : {Kind::bandwidth, Kind::flop_rate, Kind::latency, Kind::request_rate, Kind::number}) {
      const std::string text = value_text(kind, Value(magnitude));
      CAPTURE(text);
      REQUIRE(parsed(kind, text) == Value(magnitude));
    }
    const double bytes = std::floor(magnitude);
    REQUIRE(parsed(Kind::bytes, value_text(Kind::bytes, Value(bytes))) == Value(bytes));
    const auto integer = static_cast<std::int64_t>(bits >> (1 + random() % 62));
    for (Kind kind : {Kind::duration, Kind::count, Kind::tokens}) {
      const std::string text = value_text(kind, Value(integer));
      CAPTURE(text);
      REQUIRE(parsed(kind, text) == Value(integer));
    }
  }
}

TEST_CASE("reading agrees with exact arithmetic on random decimals") {
  std::mt19937_64 random(11);
  for (int i = 0; i < 5000; ++i) {
    const auto digits = static_cast<std::int64_t>(random() % 1'000'000'000'000);
    const int places = static_cast<int>(random() % 7);
    std::string text = std::to_string(digits);
    if (static_cast<int>(text.size()) <= places)
      text.insert(0, static_cast<std::size_t>(places + 1) - text.size(), '0');
    if (places > 0) text.insert(text.size() - static_cast<std::size_t>(places), ".");
    std::int64_t scale = 1'000'000;  // nanoseconds a millisecond
    for (int place = 0; place < places; ++place) scale /= 10;
    CAPTURE(text);
    REQUIRE(whole(Kind::duration, text + " ms") == digits * scale);
  }
}

}  // namespace decodesim::tests
