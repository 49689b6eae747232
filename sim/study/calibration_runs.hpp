#pragma once
// The simulations of a calibration, and what is concluded from them.

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "sim/study/calibration.hpp"
#include "sim/study/least_squares.hpp"

namespace decodesim {

/// Plays the points of a calibration under several sets of constants, all runs side by side.
class CalibrationRuns {
 public:
  CalibrationRuns(Calibration& calibration, const CalibrationInput& input, std::vector<PointSetup> setups,
                  const std::atomic<bool>& stop, const std::function<void(std::int64_t)>& told)
      : calibration_(calibration), input_(input), setups_(std::move(setups)), stop_(stop), told_(told) {}

  [[nodiscard]] const std::vector<PointSetup>& setups() const { return setups_; }
  /// The points with the user's bases and the constants over them; no values: as they are.
  [[nodiscard]] std::vector<Variant> variants(const std::vector<double>& values) const;
  std::vector<PlayedSeeds> play(const std::vector<Variant>& variants);
  /// The predictions of the calibration's rows under each set of constants; nothing where one of them has none.
  std::vector<std::vector<double>> predictions(std::span<const std::vector<double>> values);

 private:
  Calibration& calibration_;
  const CalibrationInput& input_;
  std::vector<PointSetup> setups_;
  const std::atomic<bool>& stop_;
  const std::function<void(std::int64_t)>& told_;
};

/// Says of each constant how well it is known, and of each row what it decides, from the Jacobian where the fit ended, as
/// if errors of rows were independent and equally large.
void judge_fit(Calibration& calibration, const LeastSquaresFit& fit, const LeastSquaresProblem& problem);

}  // namespace decodesim
