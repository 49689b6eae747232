#include "sim/study/relative_errors.hpp"

#include <cmath>

namespace decodesim {

RelativeErrors relative_errors(std::vector<double> errors) {
  RelativeErrors told;
  told.median_signed = quantile(errors, 0.5);
  for (double& error : errors) error = std::fabs(error);
  told.median = quantile(errors, 0.5);
  told.p90 = quantile(errors, 0.9);
  return told;
}

}  // namespace decodesim
