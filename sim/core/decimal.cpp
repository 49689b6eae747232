#include "sim/core/decimal.hpp"

#include <charconv>
#include <cmath>

namespace decodesim {

WholeTrouble to_whole(const Decimal& number, const QuantityUnit& unit, std::int64_t& result) {
  result = 0;
  if (number.digits.empty()) return WholeTrouble::none;
  std::int64_t value = 0;
  if (std::from_chars(number.digits.data(), number.digits.data() + number.digits.size(), value).ec != std::errc()) {
    return number.exponent + unit.power10 < 0 ? WholeTrouble::not_whole : WholeTrouble::too_large;
  }
  if (__builtin_mul_overflow(value, unit.factor << unit.power2, &value)) return WholeTrouble::too_large;
  for (int power = number.exponent + unit.power10; power != 0; power += power < 0 ? 1 : -1) {
    if (power < 0) {
      if (value % 10 != 0) return WholeTrouble::not_whole;
      value /= 10;
    } else if (__builtin_mul_overflow(value, std::int64_t{10}, &value)) {
      return WholeTrouble::too_large;
    }
  }
  result = value;
  return WholeTrouble::none;
}

std::optional<double> to_double(const Decimal& number, const QuantityUnit& unit) {
  if (number.digits.empty()) return 0.0;
  const std::string text = number.digits + "e" + std::to_string(number.exponent + unit.power10);
  double value = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc()) return std::nullopt;
  value = std::ldexp(value, unit.power2);
  if (!std::isfinite(value)) return std::nullopt;
  return value;
}

}  // namespace decodesim
