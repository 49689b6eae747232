#pragma once
// Whether the server keeps up with its clients, from the length of its queue.

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "sim/core/statistics.hpp"
#include "sim/core/time.hpp"

namespace decodesim {

/// Open loop: stable, backlogged or overloaded. Closed loop: saturated or client_limited.
enum class Saturation { stable, backlogged, overloaded, saturated, client_limited };
inline constexpr std::array<std::string_view, 5> saturation_names{"STABLE", "BACKLOGGED", "OVERLOADED", "SATURATED",
                                                                  "CLIENT-LIMITED"};

struct SaturationReport {
  std::optional<Saturation> verdict;        // absent where no request completed or nothing was measured
  double queue_slope_per_s = not_measured;  // open loop: requests by which the queue grows a second
  double mean_waiting = not_measured;       // requests that passes left in the queue, averaged over the window
  std::int64_t peak_waiting = 0;
  double waiting_share = not_measured;  // of the window's time: something waited
};

/// The straight line through the length of the queue from the first arrival to the last, by least squares over time.
class QueueTrend {
 public:
  /// The queue had this length from `start` to `end`, both counted from the first arrival. Between such stretches it
  /// was empty.
  void add(Duration start, Duration end, std::int64_t waiting) {
    const double from = to_seconds(start);
    const double to = to_seconds(end);
    const double requests = static_cast<double>(waiting) * (to - from);
    area_ += requests;
    moment_ += requests * (from + to) / 2;
  }
  /// Requests a second, where the last arrival came `span` after the first; not_measured where span is zero.
  [[nodiscard]] double slope(Duration span) const;

 private:
  double area_ = 0;    // integral of the length
  double moment_ = 0;  // integral of time times length
};

struct SaturationInputs {
  bool closed_loop = false;
  Duration arrival_span{};  // first arrival to last
  std::int64_t arrivals = 0;
  std::int64_t gave_up_waiting = 0;  // of these, timed out before their first token
  double queue_slope_per_s = not_measured;
  double waiting_share = not_measured;
};

/// The rules, with their reasons, stand in saturation.cpp.
Saturation saturation_verdict(const SaturationInputs& inputs);

}  // namespace decodesim
