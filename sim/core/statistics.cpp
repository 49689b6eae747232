#include "sim/core/statistics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "sim/core/order_statistics.hpp"

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

double deviation_from(double centre, std::span<const double> values) {
  if (values.empty()) return not_measured;
  CompensatedSum squares;
  for (double value : values) squares.add((value - centre) * (value - centre));
  return std::sqrt(squares.total() / static_cast<double>(values.size()));
}

std::vector<double> quantiles(std::span<const double> values, std::span<const double> qs) {
  if (values.empty()) return std::vector<double>(qs.size(), not_measured);
  const std::size_t last = values.size() - 1;
  const auto position = [&](double q) { return q * static_cast<double>(last); };
  const auto below = [&](double q) { return std::min(static_cast<std::size_t>(position(q)), last); };
  std::vector<std::size_t> ranks;
  for (const double q : qs) ranks.insert(ranks.end(), {below(q), std::min(below(q) + 1, last)});
  const std::vector<double> found = order_statistics(values, ranks);
  std::vector<double> at;
  for (std::size_t i = 0; i < qs.size(); ++i) {
    const double low = found[2 * i];
    const double share = position(qs[i]) - static_cast<double>(below(qs[i]));
    at.push_back(share == 0 ? low : low + (found[2 * i + 1] - low) * share);
  }
  return at;
}

}  // namespace

double quantile(std::span<const double> values, double q) { return quantiles(values, std::array{q}).front(); }

double mean(std::span<const double> values) {
  if (values.empty()) return not_measured;
  CompensatedSum sum;
  for (double value : values) sum.add(value);
  return sum.total() / static_cast<double>(values.size());
}

double standard_deviation(std::span<const double> values) { return deviation_from(mean(values), values); }

Summary summarize(std::span<const double> values) {
  Summary summary;
  summary.count = static_cast<std::int64_t>(values.size());
  summary.mean = mean(values);
  summary.std = deviation_from(summary.mean, values);
  const std::vector<double> at = quantiles(values, std::array{0.01, 0.10, 0.50, 0.90, 0.99});
  summary.p1 = at[0];
  summary.p10 = at[1];
  summary.p50 = at[2];
  summary.p90 = at[3];
  summary.p99 = at[4];
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
