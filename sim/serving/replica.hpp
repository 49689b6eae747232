#pragma once
// One server: takes requests, plans passes, and plays the steps they lead to.

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/serving/observer.hpp"
#include "sim/serving/policy_table.hpp"
#include "sim/serving/predictor.hpp"
#include "sim/serving/replica_state.hpp"
#include "sim/serving/scheduler.hpp"
#include "sim/serving/watchdog.hpp"

namespace decodesim {

/// A request that left the server, with what is to be told about it.
struct Departure {
  Sequence* sequence = nullptr;
  Outcome outcome = Outcome::completed;
  std::string_view reason;
};

/// Passes and steps alternate: plan() decides what runs, complete() is called when the step is over. The facts of a pass
/// are complete after complete().
class Replica {
 public:
  /// Throws std::invalid_argument where no engine has the configured name.
  Replica(const ServerConfig& server, bool wants_schedule);

  /// Why this request cannot be served at all, or empty. See semantics of `never_fits` in docs/design.md.
  [[nodiscard]] std::string_view refusal(const Request& request) const;
  /// Puts a request at the end of the queue.
  void enqueue(Request request);

  [[nodiscard]] bool busy() const { return busy_; }
  /// Requests in the server, waiting or running.
  [[nodiscard]] std::int64_t in_system() const;
  [[nodiscard]] std::int64_t free_blocks() const { return state_.memory->free(); }

  /// Plans pass `number` at `start`. Returns false where the pass is empty: nothing was scheduled, preempted or
  /// cancelled. Otherwise, and in any case with `grid`, the replica is busy until complete().
  bool plan(std::int64_t number, Time start, bool grid);
  /// How long the planned step lasts.
  [[nodiscard]] Duration step_duration() const { return facts_.ledger.duration(); }
  /// Plays the planned step to its end. The facts and departures stay valid until the next plan().
  void complete(Time end);
  [[nodiscard]] const StepFacts& facts() const { return facts_; }
  [[nodiscard]] const std::vector<Departure>& departures() const { return departures_; }
  [[nodiscard]] RequestFacts facts_of(const Departure& departure, Time ended) const;
  /// Forgets the departed; their sequences are used again.
  void dismiss_departed();

  /// Everything still inside leaves unfinished, by index of request.
  void abandon(std::string_view reason);

  /// What waits for what; empty while the server makes progress. `final` says that no arrival can change anything.
  [[nodiscard]] std::string stuck(bool nothing_planned, bool final) const;
  /// A request came and was refused, which is progress too.
  void note_refusal() { watchdog_.progress(); }

 private:
  Replica(const ServerConfig& server, EngineParts parts, bool wants_schedule);
  [[nodiscard]] std::int64_t blocks_for(std::int64_t tokens) const;
  void tell_idle_passes(Time start);
  void price_pass();
  void price_transfers();
  void cancel_hopeless();
  void describe_schedule();
  void play_chunk(const Chunk& chunk, Time end);
  void finish(Sequence& sequence);
  Sequence& new_sequence();

  ReplicaState state_;
  std::unique_ptr<Scheduler> scheduler_;
  bool wants_schedule_;
  std::optional<Predictor> predictor_;          // where a policy goes by length
  std::map<std::string, std::size_t> clients_;  // by name, numbered as they were first seen
  bool busy_ = false;
  std::deque<Sequence> storage_;  // never moves a sequence
  std::vector<Sequence*> unused_;
  PassDecisions decisions_;
  StepFacts facts_;
  ScheduleFacts schedule_;
  std::vector<TokenGap> gaps_;
  std::vector<Sequence*> finished_;
  std::vector<Departure> departures_;
  Watchdog watchdog_;
  std::int64_t cached_blocks_evicted_ = 0;  // told so far
  std::int64_t arrivals_ = 0;
  std::optional<Time> emptied_ = Time{};    // since when nobody is in the server
};

}  // namespace decodesim
