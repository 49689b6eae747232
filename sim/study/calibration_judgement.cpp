// What a calibration knows of its constants: intervals, entanglement, leverage.

#include <algorithm>
#include <cmath>
#include <optional>

#include "sim/study/calibration_runs.hpp"
#include "sim/study/cholesky.hpp"
#include "sim/study/paired_difference.hpp"

namespace decodesim {

namespace {

// Of what is told of a constant, the least share that must not be told of others as well: one less the squared multiple
// correlation. Below it an interval would be a hundred times wider than by itself, and derivatives are not that exact.
constexpr double least_independence = 1e-4;

using Jacobian = std::vector<std::vector<double>>;

double product(const Jacobian& jacobian, std::size_t one, std::size_t other) {
  double sum = 0;
  for (const std::vector<double>& row : jacobian) sum += row[one] * row[other];
  return sum;
}

SquareMatrix products(const Jacobian& jacobian, const std::vector<std::size_t>& columns) {
  SquareMatrix result(columns.size());
  for (std::size_t a = 0; a < columns.size(); ++a) {
    for (std::size_t b = 0; b < columns.size(); ++b) result(a, b) = product(jacobian, columns[a], columns[b]);
  }
  return result;
}

/// Whether the last of the columns is, but for very little, a sum of the others.
bool last_is_entangled(const Jacobian& jacobian, const std::vector<std::size_t>& columns) {
  SquareMatrix correlations = products(jacobian, columns);
  for (std::size_t a = 0; a < columns.size(); ++a) {
    for (std::size_t b = 0; b < columns.size(); ++b)
      correlations(a, b) /= column_norm(jacobian, columns[a]) * column_norm(jacobian, columns[b]);
  }
  return !cholesky(correlations, least_independence);
}

/// Of `others` the column most like this one.
std::size_t most_alike(const Jacobian& jacobian, std::size_t column, const std::vector<std::size_t>& others) {
  const auto likeness = [&](std::size_t other) {
    return std::fabs(product(jacobian, column, other)) / column_norm(jacobian, other);
  };
  return *std::max_element(others.begin(), others.end(),
                           [&](std::size_t one, std::size_t other) { return likeness(one) < likeness(other); });
}

/// Which constants have an interval together, taken in their order. Says of the rest why they have none.
std::vector<std::size_t> determined(Calibration& calibration, const LeastSquaresFit& fit,
                                    const LeastSquaresProblem& problem) {
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < calibration.constants.size(); ++i) {
    FittedConstant& one = calibration.constants[i];
    const bool moved = fit.place[i] != problem.start[i];
    one.constraint = moved ? Constraint::at_bound : Constraint::free;
    if (column_norm(fit.jacobian, i) < no_influence) continue;
    one.constraint = Constraint::at_bound;
    if (fit.place[i] <= problem.lowest[i] || fit.place[i] >= problem.highest[i]) continue;
    chosen.push_back(i);
    one.constraint = Constraint::constrained;
    // The first has no others to be entangled with.
    if (chosen.size() == 1 || !last_is_entangled(fit.jacobian, chosen)) continue;
    chosen.pop_back();
    one.constraint = Constraint::entangled;
    one.entangled_with = calibration.constants[most_alike(fit.jacobian, i, chosen)].field.path;
  }
  return chosen;
}

}  // namespace

void judge_fit(Calibration& calibration, const LeastSquaresFit& fit, const LeastSquaresProblem& problem) {
  // Residuals are shares of what was measured, sensitivities of what is predicted.
  for (std::size_t r = 0; r < calibration.rows.size(); ++r) {
    for (double slope : fit.jacobian[r]) calibration.rows[r].sensitivity.push_back(slope / (1 + fit.residuals[r]));
  }
  const std::vector<std::size_t> chosen = determined(calibration, fit, problem);
  const std::optional<SquareMatrix> lower = cholesky(products(fit.jacobian, chosen));
  if (!lower) return;
  const SquareMatrix covariance = inverse(*lower);  // but for the variance of a residual
  double squares = 0;
  for (double residual : fit.residuals) squares += residual * residual;
  const std::int64_t degrees =
      static_cast<std::int64_t>(calibration.rows.size()) - static_cast<std::int64_t>(chosen.size());
  for (std::size_t a = 0; a < chosen.size(); ++a) {
    FittedConstant& one = calibration.constants[chosen[a]];
    if (degrees < 1) {
      one.constraint = Constraint::undetermined;
    } else {
      const double variance = squares / static_cast<double>(degrees) * covariance(a, a);
      one.half_width = student_t_95(degrees) * std::sqrt(variance);
    }
  }
  for (std::size_t r = 0; r < calibration.rows.size(); ++r) {
    double leverage = 0;
    for (std::size_t a = 0; a < chosen.size(); ++a) {
      for (std::size_t b = 0; b < chosen.size(); ++b)
        leverage += fit.jacobian[r][chosen[a]] * covariance(a, b) * fit.jacobian[r][chosen[b]];
    }
    calibration.rows[r].leverage = leverage;
  }
}

}  // namespace decodesim
