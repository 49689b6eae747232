#pragma once
// Decimal numbers exactly as written, on their way to integers and doubles.

#include <cstdint>
#include <optional>
#include <string>

#include "sim/core/kind.hpp"

namespace decodesim {

/// digits x 10^exponent, without leading or trailing zeros among the digits; zero has none.
struct Decimal {
  std::string digits;
  int exponent = 0;
};

/// Why a decimal is no 64-bit integer.
enum class WholeTrouble { none, too_large, not_whole };

/// number x unit as an integer, exactly or not at all.
WholeTrouble to_whole(const Decimal& number, const QuantityUnit& unit, std::int64_t& result);

/// number x unit as the nearest double, since a power of two scales exactly; nothing beyond the range of doubles.
std::optional<double> to_double(const Decimal& number, const QuantityUnit& unit);

}  // namespace decodesim
