#pragma once
// A histogram of durations whose percentiles have a bounded relative error.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/core/statistics.hpp"

namespace decodesim {

/// Counts whole numbers from 0 to 2^63 - 1 in buckets that are linear within each power of two.
///
/// A power of two is cut into 1,024 buckets, so no bucket is wider than 1/1,024 of the values in it, and numbers below
/// 2,048 have a bucket each. A bucket stands for the mean of what fell into it: where that was one value only, as with
/// a few distinct step times, percentiles are exact; otherwise they are off by at most relative_error.
class Histogram {
 public:
  static constexpr double relative_error = 1.0 / 1024;

  /// `count` times the value. A negative count takes back what was added.
  void add(std::int64_t value, std::int64_t count) {
    const auto size = static_cast<std::uint64_t>(value);
    const int shift = shift_of(size);
    // The leading bit of size >> shift counts on from the buckets of the power below, so that indices are dense.
    const std::size_t index = (static_cast<std::size_t>(shift) << bits) + static_cast<std::size_t>(size >> shift);
    if (index >= buckets_.size()) [[unlikely]]
      buckets_.resize(index + 1);
    buckets_[index].count += count;
    buckets_[index].above += (size - ((size >> shift) << shift)) * static_cast<std::uint64_t>(count);
    count_ += count;
  }

  [[nodiscard]] std::int64_t count() const { return count_; }

  /// The q-quantile by interpolation between order statistics, as quantile() does; not_measured of nothing.
  [[nodiscard]] double quantile(double q) const {
    if (count_ == 0) return not_measured;
    const double position = q * static_cast<double>(count_ - 1);
    const auto below = std::min(static_cast<std::int64_t>(position), count_ - 1);
    const double low = order_statistic(below);
    const double share = position - static_cast<double>(below);
    return share == 0 || below + 1 == count_ ? low : low + (order_statistic(below + 1) - low) * share;
  }

 private:
  static constexpr int bits = 10;
  struct Bucket {
    std::int64_t count = 0;
    std::uint64_t above =
        0;  // sum of what the values exceed the bucket's lower end by; whole, so order does not matter
  };

  /// How far a value must be shifted down to have at most bits + 1 significant bits.
  static int shift_of(std::uint64_t size) { return std::max(0, static_cast<int>(std::bit_width(size)) - (bits + 1)); }

  [[nodiscard]] double order_statistic(std::int64_t rank) const {
    std::size_t index = 0;
    for (std::int64_t seen = buckets_[0].count; seen <= rank; seen += buckets_[index].count) ++index;
    const auto shift = index < (std::size_t{2} << bits) ? std::size_t{0} : (index >> bits) - 1;
    const auto lower = static_cast<std::uint64_t>(index - (shift << bits)) << shift;
    const Bucket& bucket = buckets_[index];
    return static_cast<double>(lower) + static_cast<double>(bucket.above) / static_cast<double>(bucket.count);
  }

  std::vector<Bucket> buckets_;
  std::int64_t count_ = 0;
};

}  // namespace decodesim
