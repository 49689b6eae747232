#pragma once
// Gaps between arrivals, in units of their mean.

#include <cstdint>
#include <string_view>

#include "sim/core/random.hpp"
#include "sim/workload/arrival_spec.hpp"

namespace decodesim {

/// Independent gaps with mean 1, one draw each, by inversion. A gamma or Weibull process with a cv of 1 draws the very gaps
/// of a Poisson process; `constant` draws nothing.
class UnitGaps {
 public:
  UnitGaps(const ArrivalSpec& spec, std::uint64_t seed, std::string_view purpose);
  double next();

 private:
  ArrivalProcess process_;
  double shape_ = 1;  // gamma, weibull
  double scale_ = 1;
  Stream stream_;
};

/// The coefficient of variation of the gaps, from whichever of `cv` and `burstiness` is given; 1 where neither is.
double cv_of_gaps(const ArrivalSpec& spec);

/// The shape k of a Weibull distribution whose standard deviation over mean is `cv`, from 0.01 to 20.
double weibull_shape(double cv);

}  // namespace decodesim
