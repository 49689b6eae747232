#include "sim/study/calibration_runs.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "sim/study/prediction.hpp"

namespace decodesim {

std::vector<Variant> CalibrationRuns::variants(const std::vector<double>& values) const {
  PointBases bases = input_.bases;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const FittedField& field = calibration_.constants[i].field;
    bases.sets.push_back(field.path + "=" + field.text(values[i]));
  }
  return point_variants(calibration_.points, setups_, bases);
}

std::vector<PlayedSeeds> CalibrationRuns::play(const std::vector<Variant>& variants) {
  std::vector<PlayedSeeds> played = play_seeds(variants, input_.study, stop_, {});
  calibration_.runs += static_cast<std::int64_t>(variants.size());
  calibration_.interrupted = stop_.load(std::memory_order_relaxed);
  if (told_) told_(calibration_.runs);
  return played;
}

std::vector<std::vector<double>> CalibrationRuns::predictions(std::span<const std::vector<double>> values) {
  const std::size_t count = calibration_.points.size();
  std::vector<Variant> all;
  for (const std::vector<double>& constants : values) {
    std::vector<Variant> some = variants(constants);
    std::move(some.begin(), some.end(), std::back_inserter(all));
  }
  const std::vector<PlayedSeeds> played = play(all);
  std::vector<std::vector<double>> result;
  for (std::size_t v = 0; v < values.size(); ++v) {
    std::vector<double> numbers;
    for (const CalibratedRow& row : calibration_.rows) {
      const std::size_t at = v * count + row.point;
      if (!objection_to(calibration_.points[row.point], all[at], played[at]).empty()) {
        numbers.clear();
        break;
      }
      numbers.push_back(predicted(played[at].seeds.front(), row.measured.metric));
    }
    result.push_back(std::move(numbers));
  }
  return result;
}

}  // namespace decodesim
