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

/// The one place where a price becomes time: round half up. Prices are never negative.
constexpr Duration to_duration(Seconds seconds) {
  return Duration(static_cast<std::int64_t>(seconds.value() * 1e9 + 0.5));
}
constexpr double to_seconds(Duration duration) { return static_cast<double>(duration.count()) / 1e9; }
constexpr double to_seconds(Time time) { return to_seconds(time.time_since_epoch()); }
constexpr double to_milliseconds(Duration duration) { return static_cast<double>(duration.count()) / 1e6; }

}  // namespace decodesim
