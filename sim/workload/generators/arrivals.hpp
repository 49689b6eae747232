#pragma once
// When requests arrive in an open loop.

#include <cstdint>
#include <optional>
#include <string>

#include "sim/core/time.hpp"
#include "sim/workload/arrival_spec.hpp"
#include "sim/workload/generators/rate_over_time.hpp"
#include "sim/workload/generators/unit_gaps.hpp"

namespace decodesim {

/// Arrivals one by one, never going back: gaps with mean 1, mapped through the integral of the rate. The first gap begins
/// at time zero, but of a constant process the first request comes at zero. What would fall on the end of the last stage,
/// or later, does not come.
class Arrivals {
 public:
  /// `of` ends the names of the streams: nothing, or " of NAME".
  Arrivals(const ArrivalSpec& spec, std::uint64_t seed, const std::string& of);
  std::optional<Time> next();

 private:
  ArrivalProcess process_;
  double steady_rate_;  // 0 where it changes with time
  UnitGaps gaps_;
  RateOverTime rate_;
  std::int64_t index_ = 0;
};

}  // namespace decodesim
