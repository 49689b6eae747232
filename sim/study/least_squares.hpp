#pragma once
// Least squares by Levenberg and Marquardt, with derivatives taken numerically, within bounds.

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace decodesim {

/// What is fitted, in coordinates of the caller's choice.
struct LeastSquaresProblem {
  using Place = std::vector<double>;
  std::vector<double> start;
  std::vector<double> lowest;
  std::vector<double> highest;
  double step = 0;          // to either side, for derivatives
  double longest_step = 0;  // of a coordinate at a time, since far away the derivatives say nothing
  /// The residuals at each place, as many at each; none at a place where they cannot be computed. Several places are asked
  /// for at once, so that they can be computed side by side.
  std::function<std::vector<std::vector<double>>(std::span<const Place> places)> residuals;
};

struct LeastSquaresFit {
  std::vector<double> place;
  std::vector<double> residuals;              // there; empty where they could not be computed even at the start
  std::vector<std::vector<double>> jacobian;  // a row a residual, a column a coordinate, at `place`
  int steps = 0;                              // taken
  bool converged = false;                     // no step made it better, or only by a billionth
};

/// The place with the least sum of squared residuals that is found from the start. Coordinates that no residual depends
/// on stay where they are. Deterministic: the same answers of `residuals` give the same fit.
LeastSquaresFit fit_least_squares(const LeastSquaresProblem& problem);

/// The length of a column of the Jacobian: below `no_influence` nothing depends on the coordinate.
double column_norm(const std::vector<std::vector<double>>& jacobian, std::size_t column);
inline constexpr double no_influence = 1e-6;

}  // namespace decodesim
