#pragma once
// What is said of many relative errors at once.

#include <vector>

#include "sim/core/statistics.hpp"

namespace decodesim {

/// All are not_measured where there are no errors.
struct RelativeErrors {
  double median = not_measured;  // of absolute errors, as is p90
  double p90 = not_measured;
  double median_signed = not_measured;
};

RelativeErrors relative_errors(std::vector<double> errors);

}  // namespace decodesim
