#include "sim/core/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace decodesim {

namespace {

/// A running sum that carries what each addition rounds away (Neumaier, 1974).
class CompensatedSum {
 public:
  void add(double value) {
    const double next = sum_ + value;
    lost_ += std::fabs(sum_) >= std::fabs(value) ? (sum_ - next) + value : (value - next) + sum_;
    sum_ = next;
  }
  [[nodiscard]] double total() const { return sum_ + lost_; }

 private:
  double sum_ = 0;
  double lost_ = 0;
};

}  // namespace

double quantile(std::span<double> values, double q) {
  if (values.empty()) return not_measured;
  const double position = q * static_cast<double>(values.size() - 1);
  const auto below = std::min(static_cast<std::size_t>(position), values.size() - 1);
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(below);
  std::nth_element(values.begin(), middle, values.end());
  const double share = position - static_cast<double>(below);
  if (share == 0 || middle + 1 == values.end()) return *middle;
  const double next = *std::min_element(middle + 1, values.end());
  return *middle + (next - *middle) * share;
}

double mean(std::span<const double> values) {
  if (values.empty()) return not_measured;
  CompensatedSum sum;
  for (double value : values) sum.add(value);
  return sum.total() / static_cast<double>(values.size());
}

double standard_deviation(std::span<const double> values) {
  if (values.empty()) return not_measured;
  const double centre = mean(values);
  CompensatedSum squares;
  for (double value : values) squares.add((value - centre) * (value - centre));
  return std::sqrt(squares.total() / static_cast<double>(values.size()));
}

Summary summarize(std::span<double> values) {
  Summary summary;
  summary.count = static_cast<std::int64_t>(values.size());
  summary.mean = mean(values);
  summary.std = standard_deviation(values);
  summary.p1 = quantile(values, 0.01);
  summary.p10 = quantile(values, 0.10);
  summary.p50 = quantile(values, 0.50);
  summary.p90 = quantile(values, 0.90);
  summary.p99 = quantile(values, 0.99);
  return summary;
}

double Moments::mean() const {
  if (count_ == 0) return not_measured;
  const auto count = static_cast<Wide>(count_);
  const Wide whole = sum_ / count;
  return static_cast<double>(whole) + static_cast<double>(sum_ % count) / static_cast<double>(count_);
}

double Moments::standard_deviation() const {
  if (count_ == 0) return not_measured;
  // Squares are taken about the mean rounded down, m. Their sum is small although its terms are not, and arithmetic
  // modulo 2^128 gets it exactly.
  const auto count = static_cast<Wide>(count_);
  const Wide floor = sum_ / count;
  const Wide about_floor = squares_ - 2 * floor * sum_ + count * floor * floor;
  const double rest = static_cast<double>(sum_ % count) / static_cast<double>(count_);
  return std::sqrt(std::max(0.0, static_cast<double>(about_floor) / static_cast<double>(count_) - rest * rest));
}

}  // namespace decodesim
