#include "sim/core/math.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "sim/core/random.hpp"

namespace decodesim {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

std::uint64_t bits(double x) { return std::bit_cast<std::uint64_t>(x); }

/// How many doubles one has to step over from one to the other of the same sign.
std::int64_t steps_between(double a, double b) {
  if (a == b) return 0;
  if (std::isnan(a) || std::isnan(b) || (a < 0) != (b < 0)) return std::numeric_limits<std::int64_t>::max();
  return std::abs(std::bit_cast<std::int64_t>(a) - std::bit_cast<std::int64_t>(b));
}

/// Any positive double: exponents are equally likely, subnormals among them.
double any_positive(Stream& chance) { return std::bit_cast<double>(chance.integer(1, 0x7FEF'FFFF'FFFF'FFFF)); }

/// In (-limit, limit].
double any_within(Stream& chance, double limit) { return (2 * chance.unit() - 1) * limit; }

/// Between 1/2 and 3/2, but mostly very close to 1.
double any_near_one(Stream& chance) {
  return 1 + std::ldexp(chance.unit() - 0.5, -static_cast<int>(chance.integer(0, 50)));
}

}  // namespace

TEST_CASE("log is within 4 units in the last place of the C library's, over all positive doubles and close to 1") {
  Stream chance(1, "log");
  for (int i = 0; i < 200'000; ++i) {
    for (const double x : {any_positive(chance), chance.unit(), any_near_one(chance)}) {
      CAPTURE(x);
      REQUIRE(steps_between(math::log(x), std::log(x)) <= 4);
    }
  }
}

TEST_CASE("exp is within 4 units in the last place of the C library's, subnormal results included") {
  Stream chance(1, "exp");
  for (int i = 0; i < 200'000; ++i) {
    const double small = std::ldexp(any_within(chance, 1), -static_cast<int>(chance.integer(0, 60)));
    for (const double x : {any_within(chance, 745), small}) {
      CAPTURE(x);
      REQUIRE(steps_between(math::exp(x), std::exp(x)) <= 4);
    }
  }
}

TEST_CASE("pow is within 4 units in the last place of the C library's, however large its exponent") {
  Stream chance(1, "pow");
  for (int i = 0; i < 200'000; ++i) {
    for (const double base : {any_positive(chance), any_near_one(chance)}) {
      if (base == 1) continue;
      const double exponent = any_within(chance, 740) / std::log(base);
      CAPTURE(base);
      CAPTURE(exponent);
      REQUIRE(steps_between(math::pow(base, exponent), std::pow(base, exponent)) <= 4);
    }
  }
}

TEST_CASE("log, exp and pow give zero, one and infinity where IEEE 754 does") {
  CHECK(math::log(1) == 0);
  CHECK(math::log(0) == -infinity);
  CHECK(math::log(infinity) == infinity);
  CHECK(std::isnan(math::log(-1)));
  CHECK(std::isnan(math::log(std::nan(""))));
  CHECK(math::exp(0) == 1);
  CHECK(math::exp(-0.0) == 1);
  CHECK(math::exp(709.7) < infinity);
  CHECK(math::exp(709.79) == infinity);
  CHECK(math::exp(infinity) == infinity);
  CHECK(math::exp(-745.2) == 0);
  CHECK(math::exp(-745.1) == std::numeric_limits<double>::denorm_min());
  CHECK(math::exp(-infinity) == 0);
  CHECK(std::isnan(math::exp(std::nan(""))));
  CHECK(math::pow(0, 0) == 1);
  CHECK(math::pow(0, 2) == 0);
  CHECK(math::pow(0, -2) == infinity);
  CHECK(math::pow(1, infinity) == 1);
  CHECK(math::pow(std::nan(""), 0) == 1);
  CHECK(math::pow(2, infinity) == infinity);
  CHECK(math::pow(2, -infinity) == 0);
  CHECK(math::pow(0.5, infinity) == 0);
  CHECK(math::pow(infinity, 0.5) == infinity);
  CHECK(math::pow(infinity, -0.5) == 0);
  CHECK(math::pow(2, 1e300) == infinity);
  CHECK(math::pow(2, -1e300) == 0);
}

TEST_CASE("a negative base has no power, since no draw and no price has one") { CHECK(std::isnan(math::pow(-2, 2))); }

TEST_CASE("powers of two are exact, and of other whole numbers within one unit in the last place") {
  for (int exponent = -1022; exponent <= 1023; ++exponent) CHECK(math::pow(2, exponent) == std::ldexp(1.0, exponent));
  for (int base = 3; base <= 10; ++base) {
    double power = 1;
    for (int exponent = 0; power < 0x1p53; ++exponent, power *= base) {
      CHECK(steps_between(math::pow(base, exponent), power) <= 1);
    }
  }
}

TEST_CASE("log undoes exp") {
  Stream chance(1, "round trip");
  for (int i = 0; i < 10'000; ++i) {
    const double x = any_within(chance, 700);
    // The error of exp, relative, is an absolute error of its logarithm.
    CHECK(std::abs(math::log(math::exp(x)) - x) <= 4e-16 + 4e-16 * std::abs(x));
  }
}

TEST_CASE("the bits of log, exp and pow are the same on every machine and compiler") {
  CHECK(bits(math::log(2)) == 0x3FE62E42FEFA39EFu);
  CHECK(bits(math::log(10)) == 0x40026BB1BBB55516u);
  CHECK(bits(math::log(0.1)) == 0xC0026BB1BBB55515u);
  CHECK(bits(math::log(0x1p-53)) == 0xC0425E4F7B2737FAu);
  CHECK(bits(math::log(1.0000001)) == 0x3E7AD7F2847B6492u);
  CHECK(bits(math::log(0.7071067811865475)) == 0xBFD62E42FEFA39F1u);
  CHECK(bits(math::log(5e-324)) == 0xC0874385446D71C3u);
  CHECK(bits(math::log(1.7976931348623157e308)) == 0x40862E42FEFA39EFu);
  CHECK(bits(math::exp(1)) == 0x4005BF0A8B145769u);
  CHECK(bits(math::exp(-1)) == 0x3FD78B56362CEF38u);
  CHECK(bits(math::exp(0.1)) == 0x3FF1AEC7B35A00D4u);
  CHECK(bits(math::exp(-36.7)) == 0x3CA0998B04BDD190u);
  CHECK(bits(math::exp(700.5)) == 0x7F18625C7D4F56C2u);
  CHECK(bits(math::exp(-740.25)) == 0x0000000000000042u);
  CHECK(bits(math::exp(1e-9)) == 0x3FF000000044B830u);
  CHECK(bits(math::pow(2, 0.5)) == 0x3FF6A09E667F3BCCu);
  CHECK(bits(math::pow(10, -3)) == 0x3F50624DD2F1A9FCu);
  CHECK(bits(math::pow(0.9, 100.25)) == 0x3EFB20AAD997AAA0u);
  CHECK(bits(math::pow(1.0001, 1e6)) == 0x48F330AB10A37AA5u);
  CHECK(bits(math::pow(1e300, -1.02)) == 0x0066789E3750F743u);
  CHECK(bits(math::pow(7, 0.3333333333333333)) == 0x3FFE9B5DBA58189Du);
}

TEST_CASE("a long sum of logarithms, exponentials and powers has the same bits on every machine and compiler") {
  double sum = 0;
  for (int i = 1; i <= 100'000; ++i) sum += math::log(i * 0.001) + math::exp(i * -0.001) + math::pow(i, 0.3);
  CHECK(bits(sum) == 0x41455125FE8E606Au);
}

TEST_CASE("normal quantiles undo the normal distribution, in the middle and in both tails") {
  const auto below = [](double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; };
  for (double x = -8; x <= 8; x += 0.01) {
    CAPTURE(x);
    // Near 1 a probability has few digits left, so the upper tail is asked for less closely.
    const double found = math::normal_quantile(below(x));
    REQUIRE(std::abs(found - x) <= (x < 4 ? 1e-12 : 1e-14 / (below(-x) / 4)));
  }
  // Published: 97.5 % and 99.9 % of a normal distribution lie below these.
  CHECK(std::abs(math::normal_quantile(0.975) - 1.959963984540054) < 1e-14);
  CHECK(std::abs(math::normal_quantile(0.999) - 3.090232306167813) < 1e-14);
  CHECK(math::normal_quantile(0.5) == 0);
  Stream chance(1, "quantiles");
  for (int i = 0; i < 10'000; ++i) {
    const double p = chance.unit() / 2;
    REQUIRE(math::normal_quantile(1 - p) == doctest::Approx(-math::normal_quantile(p)));
    REQUIRE(math::normal_quantile(p) <= 0);
  }
}

}  // namespace decodesim
