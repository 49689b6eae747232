#include "sim/workload/generators/unit_gaps.hpp"

#include <cmath>

#include "sim/core/check.hpp"
#include "sim/core/gamma.hpp"
#include "sim/core/math.hpp"

namespace decodesim {

double cv_of_gaps(const ArrivalSpec& spec) {
  if (spec.burstiness) return 1 / std::sqrt(*spec.burstiness);
  return spec.cv.value_or(1);
}

// 1 + cv^2 = G(1 + 2/k) / G(1 + 1/k)^2 falls as k grows. Halving the interval of log k takes as many steps as it has bits.
double weibull_shape(double cv) {
  check(cv >= 0.01 && cv <= 20, "a coefficient of variation that a Weibull distribution is found for");
  const double wanted = math::log(1 + cv * cv);
  double low = math::log(0.1);
  double high = math::log(200);
  for (int step = 0; step < 60; ++step) {
    const double middle = (low + high) / 2;
    const double inverse = math::exp(-middle);
    const double spread = math::log_gamma(1 + 2 * inverse) - 2 * math::log_gamma(1 + inverse);
    (spread > wanted ? low : high) = middle;
  }
  return math::exp((low + high) / 2);
}

UnitGaps::UnitGaps(const ArrivalSpec& spec, std::uint64_t seed, std::string_view purpose)
    : process_(spec.process), stream_(seed, purpose) {
  const double cv = cv_of_gaps(spec);
  if (cv == 1 || process_ == ArrivalProcess::on_off) return;
  if (process_ == ArrivalProcess::gamma) {
    shape_ = spec.burstiness ? *spec.burstiness : 1 / (cv * cv);
    scale_ = 1 / shape_;
  } else if (process_ == ArrivalProcess::weibull) {
    shape_ = weibull_shape(cv);
    scale_ = math::exp(-math::log_gamma(1 + 1 / shape_));
  }
}

double UnitGaps::next() {
  if (process_ == ArrivalProcess::constant) return 1;
  if (shape_ == 1) return stream_.exponential();
  if (process_ == ArrivalProcess::gamma) return scale_ * math::gamma_exceeded(shape_, stream_.unit());
  return scale_ * math::pow(stream_.exponential(), 1 / shape_);
}

}  // namespace decodesim
