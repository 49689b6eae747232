#pragma once
// Runs of a million requests beside the least that a simulation of events does.

#include <deque>
#include <string>
#include <vector>

#include "tests/benchmarks/processor_time.hpp"

namespace decodesim {

/// Adds both to the benchmarks.
class EventFloor {
 public:
  EventFloor();
  EventFloor(const EventFloor&) = delete;
  EventFloor& operator=(const EventFloor&) = delete;

  /// Prints how many times as long as the floor each run takes, and says whether all are within their limits.
  [[nodiscard]] bool held() const;

 private:
  struct Run {
    std::string what;
    std::vector<std::string> sets;  // what differs, for --set
    double limit;                   // times the floor
    BestTime time{};
  };
  BestTime floor_;
  std::deque<Run> runs_;
};

}  // namespace decodesim
