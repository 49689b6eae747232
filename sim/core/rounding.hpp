#pragma once
// Division that rounds up.

#include <concepts>

namespace decodesim {

/// How many parts of size `part` hold `whole`; neither is negative.
template <std::integral Whole>
constexpr Whole ceil_div(Whole whole, Whole part) {
  return (whole + part - 1) / part;
}

}  // namespace decodesim
