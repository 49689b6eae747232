// Numbers and names as people read them.

#include "sim/report/number_text.hpp"

#include <doctest/doctest.h>

#include <limits>

#include "sim/core/statistics.hpp"
#include "sim/report/columns.hpp"
#include "sim/report/utf8.hpp"

using namespace decodesim;

TEST_CASE("three or four significant digits, thousands apart, and never fewer digits than the integer part has") {
  CHECK(significant(15041.4) == "15,041");
  CHECK(significant(46.86, 3) == "46.9");
  CHECK(significant(0.02134, 3) == "0.0213");
  CHECK(significant(1317440) == "1,317,440");
  CHECK(significant(999.96, 4) == "1,000");
  CHECK(significant(9.9996, 4) == "10.00");
  CHECK(significant(0.99996, 4) == "1.000");
  CHECK(significant(0) == "0");
  CHECK(significant(-1234.5, 3) == "-1,234");
  CHECK(significant(not_measured) == "n/a");
  CHECK(significant(std::numeric_limits<double>::infinity()) == "n/a");
}

TEST_CASE("integers take separators at every thousand") {
  CHECK(grouped(0) == "0");
  CHECK(grouped(999) == "999");
  CHECK(grouped(1000) == "1,000");
  CHECK(grouped(-1234567) == "-1,234,567");
  CHECK(grouped(std::numeric_limits<std::int64_t>::min()) == "-9,223,372,036,854,775,808");
}

TEST_CASE("times take the unit that suits them") {
  CHECK(time_text(0.02134) == "21.34 ms");
  CHECK(time_text(4.25) == "4.250 s");
  CHECK(time_text(0.5, 4, Zeros::trimmed) == "500 ms");
  CHECK(time_text(100, 4, Zeros::trimmed) == "100 s");
  CHECK(time_text(30e-6, 3) == "30.0 us");
  CHECK(time_text(not_measured) == "n/a");
}

TEST_CASE("bytes have decimal prefixes and shares are percentages") {
  CHECK(bytes_text(184.05e9) == "184.1 GB");
  CHECK(bytes_text(999.99e6) == "1.000 GB");
  CHECK(bytes_text(12) == "12.00 B");
  CHECK(percent(0.9824) == "98.2 %");
  CHECK(percent(1) == "100 %");
  CHECK(percent(0.9999) == "100 %");
  CHECK(percent(0.09999) == "10.0 %");
  CHECK(percent(0.0333) == "3.33 %");
  CHECK(percent(0.0003) == "0.03 %");
  CHECK(percent(0.00001) == "<0.01 %");
  CHECK(percent(0) == "0 %");
  CHECK(percent(not_measured) == "n/a");
}

TEST_CASE("times from nanoseconds are exact") {
  CHECK(seconds_text(Duration(1)) == "0.000000001");
  CHECK(seconds_text(Duration(12'345'678'901)) == "12.345678901");
  CHECK(seconds_text(Duration(12'000'000'000), Zeros::trimmed) == "12");
  CHECK(milliseconds_text(Duration(21'340'001)) == "21.340001");
  CHECK(milliseconds_text(Duration(-1)) == "-0.000001");
}

TEST_CASE("fixed decimals round as printf does and show no negative zero") {
  CHECK(fixed_text(2.675, 2) == "2.67");
  CHECK(fixed_text(0.125, 2) == "0.12");
  CHECK(fixed_text(-0.001, 2) == "0.00");
  CHECK(fixed_text(1e22, 0) == "10000000000000000000000");
}

TEST_CASE("no name can steer a terminal") {
  CHECK(printable("a\x1b[31mred\nb\x7f") == "a\\x1b[31mred\\x0ab\\x7f");
  CHECK(printable("\xC2\x9B"
                  "31m") == "\\u009b31m");
  CHECK(printable("caf\xC3\xA9 \xFF") == "caf\xC3\xA9 \xEF\xBF\xBD");
}

TEST_CASE("columns count characters, not bytes, and put the odd blank after the text") {
  CHECK(left("caf\xC3\xA9", 6) == "caf\xC3\xA9  ");
  CHECK(right("12", 4) == "  12");
  CHECK(right("12345", 4) == "12345");
  CHECK(centred("abc", 6, '-') == "-abc--");
}
