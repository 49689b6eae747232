#include "sim/study/paired_difference.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "sim/core/check.hpp"

namespace decodesim {

namespace {

// 1 to 30 degrees, as every textbook prints them.
constexpr std::array<double, 30> t_points{12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060,
                                          2.2622,  2.2281, 2.2010, 2.1788, 2.1604, 2.1448, 2.1314, 2.1199,
                                          2.1098,  2.1009, 2.0930, 2.0860, 2.0796, 2.0739, 2.0687, 2.0639,
                                          2.0595,  2.0555, 2.0518, 2.0484, 2.0452, 2.0423};
constexpr double normal_point = 1.959963984540054;

}  // namespace

double student_t_95(std::int64_t degrees) {
  check(degrees >= 1, "a t distribution has at least one degree of freedom");
  if (degrees <= static_cast<std::int64_t>(t_points.size())) return t_points[static_cast<std::size_t>(degrees - 1)];
  // The expansion in 1 / degrees (Abramowitz and Stegun 26.7.5), here within 1e-6.
  const double z = normal_point;
  const double z2 = z * z;
  const auto n = static_cast<double>(degrees);
  const double first = z * (z2 + 1) / 4;
  const double second = z * ((5 * z2 + 16) * z2 + 3) / 96;
  const double third = z * (((3 * z2 + 19) * z2 + 17) * z2 - 15) / 384;
  return z + (first + (second + third / n) / n) / n;
}

double PairedDifference::relative(double amount) const {
  return first_mean != 0 ? amount / std::fabs(first_mean) : not_measured;
}

bool PairedDifference::within_noise() const { return std::fabs(mean) <= half_width; }

PairedDifference paired_difference(std::span<const double> first, std::span<const double> other) {
  check(first.size() == other.size(), "a pair is two values of the same seed");
  std::vector<double> firsts;
  std::vector<double> differences;
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (std::isnan(first[i]) || std::isnan(other[i])) continue;
    firsts.push_back(first[i]);
    differences.push_back(other[i] - first[i]);
  }
  PairedDifference result;
  result.pairs = static_cast<std::int64_t>(differences.size());
  if (result.pairs == 0) return result;
  const auto n = static_cast<double>(result.pairs);
  result.first_mean = mean(firsts);
  result.mean = mean(differences);
  if (result.pairs == 1) return result;
  // The standard error of the mean from the sample's deviation, which divides by n - 1.
  const double error = standard_deviation(differences) / std::sqrt(n - 1);
  result.half_width = student_t_95(result.pairs - 1) * error;
  return result;
}

}  // namespace decodesim
