#pragma once
// How far a run is, for someone who watches.

#include <chrono>
#include <cstdint>
#include <ostream>

#include "sim/serving/observer.hpp"

namespace decodesim {

/// One line that is written over at most ten times a second and wiped when the run ends. Only here does wall time
/// enter, and it decides nothing but when to write. Where `terminal` is false nothing is ever written.
class Progress : public Observer {
 public:
  Progress(std::ostream& out, bool terminal, std::int64_t requests);
  void step(const StepFacts& facts) override;
  void ended(const RequestFacts& facts) override;
  void run_ended(const RunFacts& facts) override;

 private:
  using WallClock = std::chrono::steady_clock;
  void show(Time now);

  std::ostream& out_;
  bool terminal_;
  bool shown_ = false;
  std::int64_t requests_;
  std::int64_t ended_ = 0;
  std::int64_t tokens_ = 0;
  std::uint32_t facts_ = 0;
  WallClock::time_point began_;
  WallClock::time_point written_;
};

}  // namespace decodesim
