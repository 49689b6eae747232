#include "sim/core/turns.hpp"

#include <cmath>

namespace decodesim::math {

namespace {

constexpr double two_pi = 6.28318530717958647693;

/// 1 - z / (k + 1)(k + 2) + ..., for z = angle^2 at most 0.62: the term after the last is below 2^-60.
double alternating(double z, int first) {
  double value = 1;
  for (int k = first + 14; k >= first; k -= 2) value = 1 - value * z / (static_cast<double>(k) * (k + 1));
  return value;
}

}  // namespace

double cosine_of_turns(double turns) {
  double part = turns - std::floor(turns + 0.5);
  if (part < 0) part = -part;
  const double sign = part > 0.25 ? -1 : 1;
  if (part > 0.25) part = 0.5 - part;
  const bool by_sine = part > 0.125;
  const double angle = two_pi * (by_sine ? 0.25 - part : part);
  const double z = angle * angle;
  return sign * (by_sine ? angle * alternating(z, 2) : alternating(z, 1));
}

}  // namespace decodesim::math
