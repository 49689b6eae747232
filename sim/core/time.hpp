#pragma once
// Simulated time: whole nanoseconds on a clock of its own.

#include <chrono>
#include <cstdint>

#include "sim/core/quantity.hpp"

namespace decodesim {

using Duration = std::chrono::duration<std::int64_t, std::nano>;

/// The simulated clock. It has no now(), so wall time cannot slip into a model.
struct SimClock {
  using duration = Duration;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<SimClock>;
  static constexpr bool is_steady = true;
};

/// Nanoseconds since the start of the run.
using Time = SimClock::time_point;

/// A run ends before its clock passes this: a hundred years, far below the 292 that whole nanoseconds can count.
inline constexpr Duration horizon{std::int64_t{100} * 365 * 86'400 * 1'000'000'000};

/// The longest that a part of a step can be priced at. A step of 13 such parts still counts in whole nanoseconds, and the
/// watchdog ends a run of a few.
inline constexpr Duration price_max = horizon / 8;
inline constexpr double price_max_ns = static_cast<double>(price_max.count());

/// The one place where a price becomes time: round half up, and at most an eighth of the horizon. Prices are never
/// negative.
constexpr Duration to_duration(Seconds seconds) {
  const double nanoseconds = seconds.value() * 1e9 + 0.5;
  return Duration(static_cast<std::int64_t>(nanoseconds < price_max_ns ? nanoseconds : price_max_ns));
}
constexpr double to_seconds(Duration duration) { return static_cast<double>(duration.count()) / 1e9; }
constexpr double to_seconds(Time time) { return to_seconds(time.time_since_epoch()); }
constexpr double to_milliseconds(Duration duration) { return static_cast<double>(duration.count()) / 1e6; }

}  // namespace decodesim
