#pragma once
// Division of whole numbers.

#include <concepts>
#include <cstdint>

namespace decodesim {

/// whole / part, rounded down; neither is negative. Counts of tokens have 31 bits nearly always, and processors divide these
/// in a fraction of the time that 64 bits take.
template <std::integral Whole>
constexpr Whole floor_div(Whole whole, Whole part) {
  const auto bits = static_cast<std::uint64_t>(whole) | static_cast<std::uint64_t>(part);
  if (bits >> 32 != 0) return whole / part;
  return static_cast<Whole>(static_cast<std::uint32_t>(whole) / static_cast<std::uint32_t>(part));
}

/// How many parts of size `part` hold `whole`; neither is negative.
template <std::integral Whole>
constexpr Whole ceil_div(Whole whole, Whole part) {
  return floor_div<Whole>(whole + part - 1, part);
}

}  // namespace decodesim
