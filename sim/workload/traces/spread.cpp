#include "sim/workload/traces/spread.hpp"

#include <algorithm>
#include <utility>

namespace decodesim {

void TraceSpread::put(TraceRow&& row) {
  if (given_ > 0) tick_.erase(tick_.begin(), tick_.begin() + static_cast<std::ptrdiff_t>(given_));
  given_ = ready_ = 0;
  const bool next_tick = !tick_.empty() && row.time != tick_.front().time;
  if (next_tick) spread(tick_.size(), row.time - tick_.front().time);
  tick_.push_back(std::move(row));
}

void TraceSpread::end() {
  if (given_ > 0) tick_.erase(tick_.begin(), tick_.begin() + static_cast<std::ptrdiff_t>(given_));
  given_ = ready_ = 0;
  if (!tick_.empty()) spread(tick_.size(), length_);
}

void TraceSpread::spread(std::size_t rows, std::int64_t length) {
  length_ = length;
  ready_ = rows;
  if (rows == 1 || length <= 1) return;
  std::vector<std::int64_t> places;
  for (std::size_t i = 0; i < rows; ++i) places.push_back(draws_.integer(0, length - 1));
  std::sort(places.begin(), places.end());
  for (std::size_t i = 0; i < rows; ++i) tick_[i].time += places[i];
}

}  // namespace decodesim
