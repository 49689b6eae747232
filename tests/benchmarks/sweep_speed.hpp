#pragma once
// A sweep of long points on one processor and on two.

#include "tests/benchmarks/processor_time.hpp"

namespace decodesim {

/// Adds both to the benchmarks.
class SweepSpeed {
 public:
  SweepSpeed();
  SweepSpeed(const SweepSpeed&) = delete;
  SweepSpeed& operator=(const SweepSpeed&) = delete;

  /// Prints how many times as fast two processors are, and says whether that is within its limit.
  [[nodiscard]] bool held() const;

 private:
  BestTime one_;
  BestTime two_;
};

}  // namespace decodesim
