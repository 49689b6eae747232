#pragma once
// How far apart two variants are on the same seeds, and how sure that is.

#include <cstdint>
#include <span>

#include "sim/core/statistics.hpp"

namespace decodesim {

/// The two-sided 95 % point of Student's t: a mean of n = degrees + 1 normal values lies within so many of its standard
/// errors, in 95 of 100 cases. At least 1 degree of freedom.
double student_t_95(std::int64_t degrees);

/// The mean over the seeds of (other - first), with the half width of its 95 % confidence interval. The pairs are what
/// makes it narrow: what a seed does to both cancels out.
struct PairedDifference {
  std::int64_t pairs = 0;            // seeds in which both were measured
  double first_mean = not_measured;  // of the first, over the same seeds
  double mean = not_measured;
  double half_width = not_measured;  // a single pair has none

  /// A share of the first's mean; not_measured where that is zero.
  [[nodiscard]] double relative(double amount) const;
  /// The interval holds zero. False where there is none.
  [[nodiscard]] bool within_noise() const;
};

/// `first` and `other` hold a value a seed, in the same order. Seeds in which one of them is not_measured are left out.
PairedDifference paired_difference(std::span<const double> first, std::span<const double> other);

}  // namespace decodesim
