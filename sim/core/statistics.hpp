#pragma once
// Percentiles, means and deviations, defined once for every number that is reported.

#include <cstdint>
#include <limits>
#include <span>

namespace decodesim {

/// What stands for a number that could not be measured: NaN, which writers show as null or n/a.
inline constexpr double not_measured = std::numeric_limits<double>::quiet_NaN();

/// a / b; not_measured where there is nothing to divide by.
inline double ratio(double a, double b) { return b > 0 ? a / b : not_measured; }

/// The q-quantile (q in [0, 1]) by linear interpolation between the order statistics on either side of q(n-1), as numpy
/// does by default. Takes time linear in `values`; not_measured where there are none.
double quantile(std::span<const double> values, double q);

/// The arithmetic mean, summed in the order given with a compensation for rounding; not_measured of nothing.
double mean(std::span<const double> values);

/// The population standard deviation, sqrt(sum (x - mean)^2 / n): the spread of just these values, as numpy has it.
double standard_deviation(std::span<const double> values);

/// What a table tells of many values. All are not_measured where there are none.
struct Summary {
  std::int64_t count = 0;
  double mean = not_measured;
  double std = not_measured;
  double p1 = not_measured;
  double p10 = not_measured;
  double p50 = not_measured;
  double p90 = not_measured;
  double p99 = not_measured;
};

/// Takes time linear in `values`. The mean depends on their order by a rounding at most.
Summary summarize(std::span<const double> values);

/// Mean and deviation of integers told one by one, in whole-number arithmetic: exact until the last division, so they
/// do not depend on the order in which the numbers come.
class Moments {
 public:
  /// `count` times the value, which must not be negative. A negative count takes back what was added.
  void add(std::int64_t value, std::int64_t count) {
    const auto times = static_cast<Wide>(count);
    const auto size = static_cast<Wide>(value);
    count_ += count;
    sum_ += size * times;
    squares_ += size * size * times;
  }
  [[nodiscard]] std::int64_t count() const { return count_; }
  [[nodiscard]] double mean() const;
  [[nodiscard]] double standard_deviation() const;

 private:
  __extension__ using Wide = unsigned __int128;
  std::int64_t count_ = 0;
  Wide sum_ = 0;
  Wide squares_ = 0;
};

}  // namespace decodesim
