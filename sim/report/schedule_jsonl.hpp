#pragma once
// What every pass of the scheduler decided, a line a pass.

#include <cstdint>
#include <filesystem>

#include "sim/core/time.hpp"
#include "sim/report/atomic_file.hpp"
#include "sim/serving/observer.hpp"

namespace decodesim {

/// JSON Lines with the keys step, start_s, end_s, scheduled, preempted, finished, waiting, free_blocks, cached_tokens,
/// block_tables, in this order. Lists are in the engine's order; free_blocks is after scheduling and before releases,
/// waiting after the pass. A request goes by its id, or its index where it has none.
///
/// The file appears when the run ends. Throws std::system_error where it cannot be written.
class ScheduleJsonl : public Observer {
 public:
  /// `grid_step` is the length of a pass where passes form a grid, whose idle passes have lines too; zero elsewhere.
  ScheduleJsonl(const std::filesystem::path& path, Duration grid_step);
  [[nodiscard]] bool wants_schedule() const override { return true; }
  void step(const StepFacts& facts) override;
  void idle(std::int64_t first, std::int64_t count, Time start, std::int64_t free_blocks) override;
  void run_ended(const RunFacts& facts) override;

 private:
  void line(std::int64_t number, Time start, Time end, std::int64_t free_blocks, const ScheduleFacts& schedule);

  AtomicFile file_;
  Duration grid_step_;
};

}  // namespace decodesim
