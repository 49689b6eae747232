#include "sim/study/least_squares.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "sim/study/cholesky.hpp"

namespace decodesim {

namespace {

constexpr int most_steps = 60;
constexpr double first_damping = 1e-3;
constexpr double least_damping = 1e-9;
constexpr double most_damping = 1e8;
constexpr double least_gain = 1e-9;  // of the sum of squares
constexpr double shortest_step = 1e-8;

using Place = LeastSquaresProblem::Place;
using Jacobian = std::vector<std::vector<double>>;

double squares(const std::vector<double>& residuals) {
  double sum = 0;
  for (double one : residuals) sum += one * one;
  return sum;
}

/// Central differences; one-sided ones where a side is out of bounds or cannot be computed.
Jacobian jacobian_at(const LeastSquaresProblem& problem, const Place& place, const std::vector<double>& residuals) {
  std::vector<Place> places;
  for (std::size_t i = 0; i < place.size(); ++i) {
    for (double side : {-1.0, 1.0}) {
      Place beside = place;
      beside[i] = std::clamp(place[i] + side * problem.step, problem.lowest[i], problem.highest[i]);
      places.push_back(std::move(beside));
    }
  }
  const std::vector<std::vector<double>> values = problem.residuals(places);
  Jacobian jacobian(residuals.size(), std::vector<double>(place.size()));
  for (std::size_t i = 0; i < place.size(); ++i) {
    const std::vector<double>& low = values[2 * i].empty() ? residuals : values[2 * i];
    const std::vector<double>& high = values[2 * i + 1].empty() ? residuals : values[2 * i + 1];
    const double from = values[2 * i].empty() ? place[i] : places[2 * i][i];
    const double to = values[2 * i + 1].empty() ? place[i] : places[2 * i + 1][i];
    for (std::size_t r = 0; r < residuals.size() && to > from; ++r) jacobian[r][i] = (high[r] - low[r]) / (to - from);
  }
  return jacobian;
}

/// The coordinates that a step may move: something depends on them, and they are not pressed against a bound.
std::vector<std::size_t> free_coordinates(const LeastSquaresProblem& problem, const Place& place,
                                          const Jacobian& jacobian, const std::vector<double>& residuals) {
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < place.size(); ++i) {
    if (column_norm(jacobian, i) < no_influence) continue;
    double slope = 0;  // of half the sum of squares
    for (std::size_t r = 0; r < residuals.size(); ++r) slope += jacobian[r][i] * residuals[r];
    const bool pressed = (place[i] <= problem.lowest[i] && slope > 0) || (place[i] >= problem.highest[i] && slope < 0);
    if (!pressed) chosen.push_back(i);
  }
  return chosen;
}

/// A damped Gauss-Newton step over the coordinates chosen, no longer than it may be and cut at the bounds.
Place stepped(const LeastSquaresProblem& problem, const Place& place, const Jacobian& jacobian,
              const std::vector<double>& residuals, const std::vector<std::size_t>& chosen, double damping) {
  SquareMatrix normal(chosen.size());
  std::vector<double> right(chosen.size());
  for (std::size_t a = 0; a < chosen.size(); ++a) {
    for (std::size_t r = 0; r < residuals.size(); ++r) right[a] -= jacobian[r][chosen[a]] * residuals[r];
    for (std::size_t b = 0; b < chosen.size(); ++b) {
      for (std::size_t r = 0; r < residuals.size(); ++r)
        normal(a, b) += jacobian[r][chosen[a]] * jacobian[r][chosen[b]];
    }
    normal(a, a) *= 1 + damping;
  }
  Place next = place;
  const std::optional<SquareMatrix> lower = cholesky(normal);
  if (!lower) return next;
  const std::vector<double> step = solve(*lower, std::move(right));
  double longest = 0;
  for (double one : step) longest = std::max(longest, std::fabs(one));
  const double share = longest > problem.longest_step ? problem.longest_step / longest : 1;
  for (std::size_t a = 0; a < chosen.size(); ++a) {
    const std::size_t i = chosen[a];
    next[i] = std::clamp(place[i] + share * step[a], problem.lowest[i], problem.highest[i]);
  }
  return next;
}

double distance(const Place& one, const Place& other) {
  double most = 0;
  for (std::size_t i = 0; i < one.size(); ++i) most = std::max(most, std::fabs(one[i] - other[i]));
  return most;
}

}  // namespace

double column_norm(const Jacobian& jacobian, std::size_t column) {
  double sum = 0;
  for (const std::vector<double>& row : jacobian) sum += row[column] * row[column];
  return std::sqrt(sum);
}

LeastSquaresFit fit_least_squares(const LeastSquaresProblem& problem) {
  LeastSquaresFit fit;
  fit.place = problem.start;
  const auto residuals_at = [&](const Place& place) { return problem.residuals(std::span(&place, 1)).front(); };
  fit.residuals = residuals_at(fit.place);
  if (fit.residuals.empty()) return fit;
  fit.jacobian = jacobian_at(problem, fit.place, fit.residuals);
  double damping = first_damping;
  while (fit.steps < most_steps && !fit.converged) {
    const std::vector<std::size_t> chosen = free_coordinates(problem, fit.place, fit.jacobian, fit.residuals);
    const double before = squares(fit.residuals);
    fit.converged = true;  // unless a step makes it better
    for (; !chosen.empty() && damping <= most_damping; damping *= 10) {
      const Place next = stepped(problem, fit.place, fit.jacobian, fit.residuals, chosen, damping);
      // Along the cut direction nothing is left to gain; a shorter step is what more damping gives.
      if (distance(next, fit.place) < shortest_step) break;
      std::vector<double> residuals = residuals_at(next);
      const double after = residuals.empty() ? before : squares(residuals);
      if (!(after < before)) continue;
      fit.place = next;
      fit.residuals = std::move(residuals);
      fit.jacobian = jacobian_at(problem, fit.place, fit.residuals);
      ++fit.steps;
      fit.converged = before - after <= least_gain * before;
      damping = std::max(damping / 10, least_damping);
      break;
    }
  }
  return fit;
}

}  // namespace decodesim
