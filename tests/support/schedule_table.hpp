#pragma once
// A run as the table that schedules are printed in: a row a pass.

#include <string>
#include <vector>

#include "sim/serving/observer.hpp"

namespace decodesim::tests {

/// What one pass did, by the ids of the requests.
struct ScheduleRow {
  std::int64_t pass = 0;
  std::string scheduled;  // "A6 B5 C3": tokens behind each id, in the engine's order
  std::string preempted;  // "C B", in the order of eviction
  std::int64_t free_blocks = 0;
  std::string finished;
  std::string waiting;     // head first
  std::string loads;       // "A": who began to load KV
  std::string held;        // "A[1,2]": blocks of who waits for KV or with it
  std::string tables;      // "A[1,2] B[3]": blocks of the scheduled ones
  std::string found;       // "A4": tokens found in place at admission
  std::string free_queue;  // "4,5,1", at the end of the step
  std::string hashed;      // "1,2": blocks whose KV can be found, by number

  friend bool operator==(const ScheduleRow&, const ScheduleRow&) = default;
};

/// Collects the rows; idle passes are empty rows. Reads: pass | scheduled | preempted | free | finished | waiting.
class ScheduleTable : public Observer {
 public:
  [[nodiscard]] bool wants_schedule() const override { return true; }
  [[nodiscard]] bool wants_memory() const override { return true; }
  void step(const StepFacts& facts) override;
  void idle(std::int64_t first, std::int64_t count, Time start, std::int64_t free_blocks) override;
  void ended(const RequestFacts& facts) override;
  void run_ended(const RunFacts& facts) override { run_ = facts; }

  [[nodiscard]] const std::vector<ScheduleRow>& rows() const { return rows_; }
  /// The first `count` rows, or all, one line each and without the block tables.
  [[nodiscard]] std::string text(std::size_t count = SIZE_MAX) const;
  /// One line a request in the order of its end: "A completed at 7 s", with the reason where there is one.
  [[nodiscard]] std::string endings() const { return endings_; }
  [[nodiscard]] const RunFacts& run() const { return run_; }

 private:
  std::vector<ScheduleRow> rows_;
  std::string endings_;
  RunFacts run_;
};

}  // namespace decodesim::tests
