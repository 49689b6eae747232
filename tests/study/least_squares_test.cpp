#include "sim/study/least_squares.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "sim/study/calibration_runs.hpp"
#include "sim/study/cholesky.hpp"

namespace decodesim::tests {

namespace {

/// y = a e^(-b x) at five places, measured with a = 2 and b = 0.7.
LeastSquaresProblem decay() {
  LeastSquaresProblem problem;
  problem.start = {1, 0.2};
  problem.lowest = {0.1, 0.01};
  problem.highest = {10, 5};
  problem.step = 1e-4;
  problem.longest_step = 0.5;
  problem.residuals = [](std::span<const LeastSquaresProblem::Place> places) {
    std::vector<std::vector<double>> all;
    for (const auto& place : places) {
      std::vector<double> residuals;
      for (double x : {0.0, 0.5, 1.0, 2.0, 4.0})
        residuals.push_back(place[0] * std::exp(-place[1] * x) - 2 * std::exp(-0.7 * x));
      all.push_back(residuals);
    }
    return all;
  };
  return problem;
}

}  // namespace

TEST_CASE("a symmetric system is solved by its Cholesky factor, and one that is not positive definite has none") {
  SquareMatrix matrix(3);
  const double values[3][3] = {{4, 2, 0.6}, {2, 5, 1}, {0.6, 1, 3}};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) matrix(i, j) = values[i][j];
  }
  const auto lower = cholesky(matrix);
  REQUIRE(lower.has_value());
  const std::vector<double> solution = solve(*lower, {9.8, 15, 11.6});
  CHECK(solution[0] == doctest::Approx(1));
  CHECK(solution[1] == doctest::Approx(2));
  CHECK(solution[2] == doctest::Approx(3));
  const SquareMatrix inverted = inverse(*lower);
  for (std::size_t i = 0; i < 3; ++i) {
    double sum = 0;
    for (std::size_t k = 0; k < 3; ++k) sum += matrix(i, k) * inverted(k, i);
    CHECK(sum == doctest::Approx(1));
  }
  matrix(0, 1) = matrix(1, 0) = 10;
  CHECK(!cholesky(matrix).has_value());
}

TEST_CASE("least squares find the place that the residuals were made with") {
  const LeastSquaresFit fit = fit_least_squares(decay());
  CHECK(fit.converged);
  CHECK(fit.place[0] == doctest::Approx(2).epsilon(1e-5));
  CHECK(fit.place[1] == doctest::Approx(0.7).epsilon(1e-5));
}

TEST_CASE("a fit stays within its bounds and is the best there") {
  LeastSquaresProblem problem = decay();
  problem.highest[0] = 1.5;
  const LeastSquaresFit fit = fit_least_squares(problem);
  CHECK(fit.place[0] == 1.5);
  const auto squares = [&](double b) {
    const LeastSquaresProblem::Place place{1.5, b};
    double sum = 0;
    const std::vector<std::vector<double>> residuals = problem.residuals(std::span(&place, 1));
    for (double one : residuals.front()) sum += one * one;
    return sum;
  };
  CHECK(squares(fit.place[1]) <= squares(fit.place[1] * 1.01));
  CHECK(squares(fit.place[1]) <= squares(fit.place[1] * 0.99));
}

TEST_CASE("where residuals cannot be computed a fit goes around, and without any at the start there is none") {
  LeastSquaresProblem problem = decay();
  const auto everywhere = problem.residuals;
  problem.residuals = [&](std::span<const LeastSquaresProblem::Place> places) {
    auto all = everywhere(places);
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (places[i][0] > 2.2 || places[i][1] < 0.15) all[i].clear();
    }
    return all;
  };
  CHECK(fit_least_squares(problem).place[0] == doctest::Approx(2).epsilon(1e-4));
  problem.start = {3, 0.2};
  const LeastSquaresFit none = fit_least_squares(problem);
  CHECK(none.residuals.empty());
  CHECK(none.place == problem.start);
}

TEST_CASE("a coordinate without influence stays where it is") {
  LeastSquaresProblem problem = decay();
  problem.start.push_back(0.3);
  problem.lowest.push_back(0);
  problem.highest.push_back(1);
  const LeastSquaresFit fit = fit_least_squares(problem);
  CHECK(fit.place[0] == doctest::Approx(2).epsilon(1e-5));
  CHECK(fit.place[2] == 0.3);
  CHECK(column_norm(fit.jacobian, 2) == 0);
}

TEST_CASE("two constants that do the same are told to be entangled, one that does nothing to be free") {
  Calibration calibration;
  for (const char* path : {"cost.host_time", "hardware.gpu.hbm_bandwidth", "memory.utilization"}) {
    FittedConstant constant;
    constant.field = find_fitted_field(path);
    calibration.constants.push_back(constant);
  }
  LeastSquaresFit fit;
  LeastSquaresProblem problem;
  fit.place = problem.start = {1, 2, 3};
  problem.lowest = {-10, -10, -10};
  problem.highest = {10, 10, 10};
  fit.jacobian = {{1, 2, 0}, {2, 4, 0}, {3, 6.0001, 0}, {4, 8, 0}};
  fit.residuals = {0.1, -0.1, 0.05, 0};
  calibration.rows.resize(4);
  judge_fit(calibration, fit, problem);
  CHECK(calibration.constants[0].constraint == Constraint::constrained);
  CHECK(calibration.constants[1].constraint == Constraint::entangled);
  CHECK(calibration.constants[1].entangled_with == "cost.host_time");
  CHECK(calibration.constants[2].constraint == Constraint::free);
  // By hand: variance = (0.0225 / 3) / 30, t of 3 degrees 3.1824.
  CHECK(calibration.constants[0].half_width == doctest::Approx(3.1824 * std::sqrt(0.0225 / 3 / 30)));
  double leverages = 0;
  for (const CalibratedRow& row : calibration.rows) leverages += row.leverage;
  CHECK(leverages == doctest::Approx(1));  // of one constant
  CHECK(calibration.rows[3].leverage == doctest::Approx(16.0 / 30));
  calibration.rows.resize(1);
  fit.jacobian.resize(1);
  fit.residuals.resize(1);
  calibration.rows[0].sensitivity.clear();
  judge_fit(calibration, fit, problem);
  CHECK(calibration.constants[0].constraint == Constraint::undetermined);
  fit.place[2] = 4;
  calibration.rows[0].sensitivity.clear();
  judge_fit(calibration, fit, problem);
  CHECK(calibration.constants[2].constraint == Constraint::at_bound);
}

}  // namespace decodesim::tests
