#include "sim/study/calibration.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "sim/core/math.hpp"
#include "sim/model/cost_fields.hpp"
#include "sim/study/calibration_runs.hpp"
#include "sim/study/least_squares.hpp"
#include "sim/study/prediction.hpp"

namespace decodesim {

namespace {

using Place = LeastSquaresProblem::Place;

// In logarithms: wide enough for derivatives to see over single steps of a schedule, and a factor of two at a time.
constexpr double derivative_step = 0.02;
constexpr double longest_step = 0.7;
// From the start, as a factor, where the field has no bound nearer.
constexpr double longest_way = 1000;

/// The constants at a place as values of their fields.
std::vector<double> values_at(const std::vector<FittedConstant>& constants, const Place& place) {
  std::vector<double> values;
  for (std::size_t i = 0; i < constants.size(); ++i) {
    const Range& range = constants[i].field.range();
    values.push_back(std::clamp(math::exp(place[i]), range.min, range.max));
  }
  return values;
}

/// A constant of an entry of the catalog is one of that entry: not of two GPUs at once.
void require_one_entry(const FittedConstant& constant, const std::vector<Variant>& variants) {
  for (const Variant& variant : variants) {
    if (!variant.scenario) continue;
    const auto entries = constant.field.entries_above(*variant.scenario);
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (entries[i] == constant.entries[i]) continue;
      throw std::invalid_argument(
          "'" + constant.field.path + "' belongs to one entry of the catalog, and rows are of " +
          constant.entries[i].second + " and of " + entries[i].second + "; choose rows of one with --only");
    }
  }
}

/// Plays the points as they are: what can be predicted at all, and where the constants start.
void begin(Calibration& calibration, CalibrationInput& input, CalibrationRuns& runs) {
  const std::vector<Variant> variants = runs.variants({});
  const std::vector<PlayedSeeds> played = runs.play(variants);
  const Scenario* first = nullptr;
  for (std::size_t i = 0; i < variants.size(); ++i) {
    const MeasuredPoint& point = calibration.points[i];
    calibration.rows_in += static_cast<std::int64_t>(point.values.size());
    const std::string objection = objection_to(point, variants[i], played[i]);
    if (!objection.empty()) {
      calibration.refused.push_back({i, objection});
      continue;
    }
    if (first == nullptr) first = &*variants[i].scenario;
    for (const MeasuredValue& value : point.values) {
      if (!runs.setups()[i].holds(value.metric)) {
        ++calibration.rows_not_held;
        continue;
      }
      CalibratedRow row;
      row.point = i;
      row.measured = value;
      row.before = predicted(played[i].seeds.front(), value.metric);
      calibration.rows.push_back(std::move(row));
    }
  }
  if (calibration.interrupted) return;
  if (first == nullptr) {
    throw std::invalid_argument(
        "no row can be predicted: " + point_name(calibration.points[calibration.refused[0].point]) + ": " +
        calibration.refused[0].why);
  }
  if (calibration.rows.empty()) throw std::invalid_argument("no row counts: the set-ups hold none of them");
  const std::string cost(cost_kind_names[static_cast<std::size_t>(first->cost.model)]);
  if (input.fields.empty()) input.fields = default_fit(cost);
  if (input.fields.empty())
    throw std::invalid_argument("nothing is known to fit under cost.model " + cost + "; name it with --fit");
  for (const FittedField& field : input.fields) {
    FittedConstant constant;
    constant.field = field;
    constant.start = field.value_in(*first);
    if (!(constant.start > 0)) {
      throw std::invalid_argument("'" + field.path + "' is " + (constant.start == 0 ? "zero" : "absent") +
                                  " in the base, and a fit goes by factors; state where it begins");
    }
    constant.value = constant.start;
    constant.entries = field.entries_above(*first);
    require_one_entry(constant, variants);
    calibration.constants.push_back(std::move(constant));
  }
}

LeastSquaresProblem problem_of(const Calibration& calibration, CalibrationRuns& runs) {
  LeastSquaresProblem problem;
  problem.step = derivative_step;
  problem.longest_step = longest_step;
  for (const FittedConstant& one : calibration.constants) {
    const Range& range = one.field.range();
    problem.start.push_back(math::log(one.start));
    problem.lowest.push_back(math::log(std::max(range.min, one.start / longest_way)));
    problem.highest.push_back(math::log(std::min(range.max, one.start * longest_way)));
  }
  problem.residuals = [&](std::span<const Place> places) {
    std::vector<std::vector<double>> values;
    for (const Place& place : places) values.push_back(values_at(calibration.constants, place));
    std::vector<std::vector<double>> result = runs.predictions(values);
    for (std::vector<double>& numbers : result) {
      for (std::size_t r = 0; r < numbers.size(); ++r) numbers[r] = numbers[r] / calibration.rows[r].measured.value - 1;
    }
    return result;
  };
  return problem;
}

}  // namespace

double Calibration::share(std::size_t row, std::size_t constant) const {
  double all = 0;
  for (const CalibratedRow& one : rows) all += one.sensitivity[constant] * one.sensitivity[constant];
  return all > 0 ? rows[row].sensitivity[constant] * rows[row].sensitivity[constant] / all : 0;
}

std::vector<std::size_t> Calibration::rows_by_share(std::size_t constant) const {
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t one, std::size_t other) {
    return std::fabs(rows[one].sensitivity[constant]) > std::fabs(rows[other].sensitivity[constant]);
  });
  return order;
}

Calibration calibrate(CalibrationInput input, const std::atomic<bool>& stop,
                      const std::function<void(std::int64_t runs)>& told) {
  Calibration calibration;
  calibration.version = input.study.version;
  calibration.base = input.bases.base;
  calibration.points = std::move(input.points);
  std::vector<PointSetup> setups;
  for (const MeasuredPoint& point : calibration.points) setups.push_back(setup_of(input.setups, point));
  CalibrationRuns runs(calibration, input, std::move(setups), stop, told);
  begin(calibration, input, runs);
  if (calibration.interrupted) return calibration;
  const LeastSquaresProblem problem = problem_of(calibration, runs);
  const LeastSquaresFit fit = fit_least_squares(problem);
  calibration.steps = fit.steps;
  calibration.converged = fit.converged;
  if (calibration.interrupted || fit.residuals.empty()) return calibration;
  judge_fit(calibration, fit, problem);
  const std::vector<double> values = values_at(calibration.constants, fit.place);
  std::vector<double> written;
  for (std::size_t i = 0; i < calibration.constants.size(); ++i) {
    FittedConstant& one = calibration.constants[i];
    // Constants that nothing depends on stay exactly as they were.
    if (one.constraint != Constraint::free) one.value = one.field.rounded(values[i]);
    written.push_back(one.value);
  }
  // What is written is what was played.
  const std::vector<double> after = runs.predictions(std::span(&written, 1)).front();
  for (std::size_t r = 0; r < after.size(); ++r) calibration.rows[r].after = after[r];
  return calibration;
}

}  // namespace decodesim
