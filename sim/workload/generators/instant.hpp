#pragma once
// A point on the clock before it is rounded.

#include <cmath>
#include <cstdint>

#include "sim/core/check.hpp"
#include "sim/core/time.hpp"

namespace decodesim {

/// Whole nanoseconds and the rest apart, so that late arrivals are as precise as early ones.
struct Instant {
  std::int64_t nanoseconds = 0;
  double rest = 0;

  /// Moves on by so many nanoseconds.
  void add(double gap) {
    rest += gap;
    const double whole = std::floor(rest);
    check(whole < 4e18, "a gap between arrivals passes 126 years");
    rest -= whole;
    nanoseconds += static_cast<std::int64_t>(whole);
  }
  /// Rounds half a nanosecond up.
  [[nodiscard]] Time rounded() const {
    check(static_cast<double>(nanoseconds) + rest < 4e18, "an arrival lies beyond 126 years");
    return Time(Duration(nanoseconds + static_cast<std::int64_t>(std::floor(rest + 0.5))));
  }
};

}  // namespace decodesim
