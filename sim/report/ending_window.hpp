#pragma once
// The window of a run, found while it runs: between the ending of one request and that of another.

#include <algorithm>
#include <cstdint>

#include "sim/core/time.hpp"
#include "sim/report/report_spec.hpp"

namespace decodesim {

/// Opens at the instant at which request number floor(skip_first * n) ends, in the order of endings, and closes at that
/// of number ceil((1 - skip_last) * n). What happens at the instant of opening is outside, at that of closing inside.
class EndingWindow {
 public:
  EndingWindow(const MeasureWindow& window, std::int64_t requests)
      : opening_(number(window.skip_first * static_cast<double>(requests) + rounding)),
        closing_(std::min(requests, requests - number(window.skip_last * static_cast<double>(requests) + rounding))),
        requests_(requests),
        open_(opening_ == 0 ? Time::min() : Time::max()) {}

  /// A request ended; times never decrease.
  void ended(Time time) {
    ++endings_;
    if (endings_ == opening_) open_ = time;
    if (endings_ == closing_ && closes_early()) close_ = time;
  }
  [[nodiscard]] bool holds(Time end) const { return end > open_ && end <= close_; }
  /// It opens at the start of the run.
  [[nodiscard]] bool opens_at_start() const { return opening_ == 0; }
  /// It closes before the run ends.
  [[nodiscard]] bool closes_early() const { return closing_ < requests_; }
  [[nodiscard]] bool opened() const { return open_ != Time::max(); }
  [[nodiscard]] bool closed() const { return close_ != Time::max(); }
  [[nodiscard]] Time open() const { return open_; }
  [[nodiscard]] Time close() const { return close_; }

 private:
  // A share times a count may fall just short of the whole number that was meant: 0.29 * 100 is 28.999999999999996.
  static constexpr double rounding = 1e-9;
  static std::int64_t number(double count) { return static_cast<std::int64_t>(count); }

  std::int64_t opening_;
  std::int64_t closing_;
  std::int64_t requests_;
  std::int64_t endings_ = 0;
  Time open_;
  Time close_ = Time::max();
};

}  // namespace decodesim
