#include "sim/core/math.hpp"

#include <array>
#include <bit>
#include <cfloat>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace decodesim::math {

namespace {

// Without this, intermediate results would carry bits that a double does not have.
static_assert(FLT_EVAL_METHOD == 0 && std::numeric_limits<double>::is_iec559);

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// ln 2 in two pieces. The first has 42 bits, so that its product with any exponent of a double (11 bits) is exact.
constexpr double ln2_high = 0xB17217F7D1Cp-44;
constexpr double ln2_low = 0xF79ABC9E3B398p-96;
constexpr double sqrt2 = 0x1.6A09E667F3BCDp0;

/// x = mantissa * 2^exponent with a mantissa in (sqrt(1/2), sqrt(2)].
struct Parts {
  double mantissa;
  int exponent;
};

Parts parts_of(double x) {
  int exponent = 0;
  if (x < DBL_MIN) {  // subnormal
    x *= 0x1p54;
    exponent = -54;
  }
  const auto bits = std::bit_cast<std::uint64_t>(x);
  exponent += static_cast<int>(bits >> 52) - 1023;
  double mantissa = std::bit_cast<double>((bits & 0x000F'FFFF'FFFF'FFFFu) | 0x3FF0'0000'0000'0000u);
  if (mantissa > sqrt2) {
    mantissa /= 2;
    ++exponent;
  }
  return {mantissa, exponent};
}

/// 2^exponent for exponents of normal numbers.
double power_of_two(int exponent) { return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52); }

/// An unevaluated sum high + low with |low| at most half a unit in the last place of `high`.
struct Pair {
  double high;
  double low;
};

/// a + b without error (Knuth, TAOCP vol. 2, 4.2.2, theorem B).
Pair sum(double a, double b) {
  const double high = a + b;
  const double part = high - a;
  return {high, (a - (high - part)) + (b - part)};
}

/// a * b without error for |a|, |b| below 2^990 (Dekker 1971, splitting each factor into 26-bit halves).
Pair product(double a, double b) {
  constexpr double splitter = 0x1p27 + 1;
  const double a_scaled = splitter * a;
  const double b_scaled = splitter * b;
  const double a_high = a_scaled - (a_scaled - a);
  const double b_high = b_scaled - (b_scaled - b);
  const double a_low = a - a_high;
  const double b_low = b - b_high;
  const double high = a * b;
  return {high, ((a_high * b_high - high) + a_high * b_low + a_low * b_high) + a_low * b_low};
}

Pair operator+(Pair a, Pair b) {
  const Pair s = sum(a.high, b.high);
  return sum(s.high, s.low + (a.low + b.low));
}

Pair operator*(Pair a, Pair b) {
  const Pair p = product(a.high, b.high);
  return sum(p.high, p.low + (a.high * b.low + a.low * b.high));
}

Pair operator/(Pair a, Pair b) {
  const double first = a.high / b.high;
  const Pair p = product(first, b.high);
  const double rest = ((a.high - p.high) - p.low) + (a.low - first * b.low);
  return sum(first, rest / b.high);
}

/// 1/(2 i + 1): the coefficients of atanh(s)/s in s^2. For |s| <= 0.1716 the term after the last is below 2^-70.
constexpr auto odd_reciprocals = [] {
  std::array<double, 14> table{};
  for (std::size_t i = 0; i < table.size(); ++i) table[i] = 1.0 / static_cast<double>(2 * i + 1);
  return table;
}();

/// 1/i!: the coefficients of e^r. For |r| <= 0.347 the term after the last is below 2^-57.
constexpr auto reciprocal_factorials = [] {
  std::array<double, 14> table{1};
  double factorial = 1;
  for (std::size_t i = 1; i < table.size(); ++i) table[i] = 1 / (factorial *= static_cast<double>(i));
  return table;
}();

/// table[first] + table[first + 1] z + table[first + 2] z^2 + ... to the table's end.
template <std::size_t n>
double polynomial(const std::array<double, n>& table, std::size_t first, double z) {
  double value = table[n - 1];
  for (std::size_t i = n - 1; i-- > first;) value = value * z + table[i];
  return value;
}

/// log(x) to about 100 bits, as 2 atanh((m - 1) / (m + 1)) + k ln 2; only the terms that need it are in pairs.
Pair precise_log(double x) {
  const Parts parts = parts_of(x);
  const Pair s = Pair{parts.mantissa - 1, 0} / sum(parts.mantissa, 1);
  const Pair z = s * s;
  Pair series{polynomial(odd_reciprocals, 4, z.high), 0};
  for (const double n : {7.0, 5.0, 3.0, 1.0}) series = series * z + Pair{1, 0} / Pair{n, 0};
  const Pair mantissa_log = s * series * Pair{2, 0};
  const double k = parts.exponent;
  return Pair{k * ln2_high, 0} + (product(k, ln2_low) + mantissa_log);
}

/// e^(x.high + x.low) for |x.high| below 1000: k ln 2 is taken off, the rest is Taylor's series up to r^13 / 13!.
double exp_of(Pair x) {
  constexpr double log2_e = 0x1.71547652B82FEp0;
  const double turns = x.high * log2_e;
  const int k = static_cast<int>(turns + (turns < 0 ? -0.5 : 0.5));
  const Pair r = sum(x.high - k * ln2_high, x.low - k * ln2_low);
  const double series = polynomial(reciprocal_factorials, 1, r.high);
  const double value = 1 + (r.high * series + r.low * (1 + r.high));
  if (k > 1023) return value * 2 * power_of_two(k - 1);            // may overflow, rightly
  if (k < -1022) return value * power_of_two(k + 100) * 0x1p-100;  // subnormal: rounded in the last product
  return value * power_of_two(k);
}

}  // namespace

double log(double x) {
  if (!(x > 0)) return x == 0 ? -infinity : nan;
  if (x == infinity) return infinity;
  const Parts parts = parts_of(x);
  const double f = parts.mantissa - 1;  // exact
  const double s = f / (parts.mantissa + 1);
  const double z = s * s;
  // 2 atanh(s) = f - s f + 2 s z (1/3 + z/5 + ...), which keeps the exact f as its leading term.
  const double small = s * (2 * z * polynomial(odd_reciprocals, 1, z) - f);
  return parts.exponent * ln2_high + (f + (small + parts.exponent * ln2_low));
}

double exp(double x) {
  if (x != x) return x;
  if (x > 710) return infinity;
  if (x < -746) return 0;
  return exp_of({x, 0});
}

double pow(double base, double exponent) {
  if (base == 1 || exponent == 0) return 1;
  if (base != base || exponent != exponent || base < 0) return nan;
  if (base == 0) return exponent > 0 ? 0 : infinity;
  if (base == infinity) return exponent > 0 ? infinity : 0;
  const double estimate = exponent * log(base);
  if (estimate > 710) return infinity;
  if (estimate < -746) return 0;
  return exp_of(precise_log(base) * Pair{exponent, 0});
}

}  // namespace decodesim::math
