#pragma once
// Constants of a scenario fitted to measurements, and which measurement says what about which constant.

#include <atomic>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sim/core/statistics.hpp"
#include "sim/study/fitted_field.hpp"
#include "sim/study/measured_point.hpp"
#include "sim/study/played_seeds.hpp"
#include "sim/study/point_variant.hpp"
#include "sim/study/setups.hpp"
#include "sim/study/validation.hpp"

namespace decodesim {

/// What the measurements say of a constant.
enum class Constraint {
  constrained,   // it has an interval
  free,          // no prediction depends on it: it stays as it was
  entangled,     // only together with another: a change of both leaves all predictions as they are
  undetermined,  // there are no more rows than constants, so there is no interval
  at_bound       // the fit wants it beyond its range, or so far that nothing depends on it any more
};

struct FittedConstant {
  FittedField field;
  double start = not_measured;
  double value = not_measured;
  Constraint constraint = Constraint::free;
  std::string entangled_with;                                // path of the other
  std::vector<std::pair<std::string, std::string>> entries;  // of the catalog that its field lies behind
  double half_width = not_measured;  // of the 95 % interval of its logarithm: it lies within value x e^(+-half_width)
};

/// A row that the fit is over, and what it says.
struct CalibratedRow {
  std::size_t point = 0;
  MeasuredValue measured;
  double before = not_measured;     // predicted with the constants as they were
  double after = not_measured;      // predicted with those fitted
  double leverage = not_measured;   // 0 to 1: how much of its own prediction it decides
  std::vector<double> sensitivity;  // of each constant: relative change of the prediction over that of the constant

  [[nodiscard]] double error_before() const { return before / measured.value - 1; }
  [[nodiscard]] double error_after() const { return after / measured.value - 1; }
};

struct Calibration {
  std::string version;
  std::vector<std::string> files;
  std::string base;
  std::vector<MeasuredPoint> points;
  std::int64_t rows_in = 0;
  std::int64_t rows_left_out = 0;
  std::vector<FittedConstant> constants;
  std::vector<CalibratedRow> rows;
  std::vector<RefusedPoint> refused;
  std::int64_t rows_not_held = 0;
  int steps = 0;
  std::int64_t runs = 0;  // simulations
  bool converged = false;
  bool interrupted = false;

  /// The share of what is known of a constant that a row gives: its squared sensitivity over the sum of all.
  [[nodiscard]] double share(std::size_t row, std::size_t constant) const;
  /// Rows by that share, largest first.
  [[nodiscard]] std::vector<std::size_t> rows_by_share(std::size_t constant) const;
};

struct CalibrationInput {
  std::vector<MeasuredPoint> points;
  const Setups& setups;
  PointBases bases;
  std::vector<FittedField> fields;  // empty: those that default_fit() names for the cost model of the first point
  StudySpec study;
};

/// Fits the fields by least squares on relative errors over all rows held, in the logarithms of the constants, within the
/// ranges of their fields. Throws std::invalid_argument with a sentence where that cannot begin: no row can be predicted, a
/// constant is zero or absent, nothing is named to fit.
Calibration calibrate(CalibrationInput input, const std::atomic<bool>& stop,
                      const std::function<void(std::int64_t runs)>& told);

/// What a calibration fits under a cost model where the user names nothing: scenarios/validation/fit.yaml.
std::vector<FittedField> default_fit(const std::string& cost_model);

void write_text(const Calibration& calibration, std::ostream& out);
void write_json(const Calibration& calibration, std::ostream& out);
/// The constants as a scenario to be named as `base:`, each with its interval.
void write_base(const Calibration& calibration, std::ostream& out);

/// "+- 1.2 %", or why there is no interval.
std::string interval_text(const FittedConstant& constant);

}  // namespace decodesim
