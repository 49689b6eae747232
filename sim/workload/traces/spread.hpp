#pragma once
// Rows of a coarse clock, spread over its ticks.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/core/random.hpp"
#include "sim/workload/traces/row.hpp"

namespace decodesim {

/// Takes rows in the order of their times and gives them back in their order, those of one time at random places, evenly
/// distributed, from it up to the next time that is recorded; those of the last time over a tick as long as the one before.
/// Keeps the rows of one tick.
class TraceSpread {
 public:
  explicit TraceSpread(std::uint64_t seed) : draws_(seed, "trace spread") {}

  /// Is a row ready to be taken?
  [[nodiscard]] bool ready() const { return given_ < ready_; }
  /// There is room for more only where none is ready.
  void put(TraceRow&& row);
  /// No more rows come.
  void end();
  TraceRow take() { return std::move(tick_[given_++]); }

 private:
  void spread(std::size_t rows, std::int64_t length);

  Stream draws_;
  std::vector<TraceRow> tick_;  // and perhaps the first row of the next
  std::size_t ready_ = 0;
  std::size_t given_ = 0;
  std::int64_t length_ = 0;  // of the tick before
};

}  // namespace decodesim
