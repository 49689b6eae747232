#pragma once
// One server: takes requests, plans passes, and plays the steps they lead to.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "sim/core/slabs.hpp"
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
///
/// An engine that plans ahead (EngineParts::plans_ahead) lags by one pass in what it knows of endings. complete() gives the
/// tokens out, and who got its last one is held: its blocks and its place are still taken while the next pass is planned,
/// and plan() lets it go at its end. The engine can count, so it serves nobody beyond max_tokens or max_model_len; who
/// stopped by itself before that it serves once more, as a chunk of one token that yields nothing. Who is evicted in that
/// pass has its token already and goes nowhere. A pass that only applies endings is told, as a step without duration.
///
/// An engine that plans ahead of results does not count either: it serves everybody once more, and who is evicted loses
/// the token under way and goes on without it, even where it was the last.
class Replica {
 public:
  /// Throws std::invalid_argument where no engine has the configured name.
  Replica(const ServerConfig& server, bool wants_schedule, bool wants_memory = false);

  /// Why this request cannot be served at all, or empty. See semantics of `never_fits` in docs/design.md.
  [[nodiscard]] std::string_view refusal(const Request& request) const;
  /// Puts a request at the end of the queue.
  void enqueue(Request&& request);
  /// The client of this request leaves now, if it is still here and not answered: then it is the next departure. What it
  /// holds is free at once, but for a request that the running step computes, whose step goes on: it gets no token of it,
  /// and gives its memory back at its end.
  bool leave(std::int64_t index, Time now);
  /// May a client inside still leave, so that others may go on?
  [[nodiscard]] bool anyone_may_leave() const { return !may_leave_.empty(); }
  /// Whose clients would have left by now, had they not been answered, as it seemed; an engine that plans ahead may have
  /// taken that back in its pass. Forgets them.
  std::vector<std::int64_t> take_due();

  [[nodiscard]] bool busy() const { return busy_; }
  /// Requests in the server, waiting or running.
  [[nodiscard]] std::int64_t in_system() const;
  [[nodiscard]] std::int64_t free_blocks() const { return state_.memory->free(); }

  /// Plans pass `number` at `start`. Returns false where the pass is empty: nothing was scheduled, preempted, cancelled
  /// or let go. Otherwise, and in any case with `grid`, the replica is busy until complete(). Departures are those that the
  /// pass let go.
  bool plan(std::int64_t number, Time start, bool grid);
  /// When the next KV that is on its way will be there, if any is.
  [[nodiscard]] std::optional<Time> next_load() const;
  /// How long the planned step lasts.
  [[nodiscard]] Duration step_duration() const { return facts_.ledger.duration(); }
  /// Plays the planned step to its end. The facts and departures stay valid until the next plan().
  void complete(Time end);
  /// Lets go who got its last token and is still held, for a run that ends here.
  void release_held();
  [[nodiscard]] const StepFacts& facts() const { return facts_; }
  [[nodiscard]] const std::vector<Departure>& departures() const { return departures_; }
  [[nodiscard]] RequestFacts facts_of(const Departure& departure, Time ended) const;
  /// Forgets the departed; their sequences are used again, but not while a planned step may still name them.
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
  void tell_entered();
  [[nodiscard]] Duration recompute_until(Time now) const;
  void price_transfers();
  void cancel_refused();
  void describe_schedule();
  void describe_waiting();
  void play_chunk(const Chunk& chunk, Time end);
  void hold(Sequence& sequence);
  void finish(Sequence& sequence);
  [[nodiscard]] bool computes(Sequence& sequence);
  void let_go(Sequence& sequence);
  void play_left();
  Sequence& new_sequence();

  ReplicaState state_;
  std::unique_ptr<Scheduler> scheduler_;
  PlansAhead plans_ahead_;
  bool wants_schedule_;
  bool wants_memory_ = false;
  std::optional<Predictor> predictor_;   // where a policy goes by length
  std::map<Name, std::size_t> tenants_;  // by name, numbered as they were first seen
  bool busy_ = false;
  Slabs<Sequence> storage_;
  std::vector<Sequence*> unused_;
  PassDecisions decisions_;
  StepFacts facts_;
  MemoryFacts memory_facts_;
  ScheduleFacts schedule_;
  std::vector<RecomputeFacts> recomputes_;
  std::vector<const Request*> entered_;
  std::int64_t tokens_ = 0;  // that came out, less those that were dropped
  std::int64_t most_tokens_ = 0;
  Duration recompute_time_{};  // of all steps that are over
  std::vector<TokenGap> gaps_;
  std::vector<Sequence*> finished_;    // by the step that is over; held by an engine that plans ahead
  std::int64_t thrown_away_ = 0;       // tokens of the planned step whose sequences are gone
  std::vector<Departure> departures_;  // to be told
  std::vector<Departure> given_up_;    // in the planned pass; they depart with its end
  std::vector<Sequence*> departed_;    // told, but the planned step may name them
  std::unordered_map<std::int64_t, Sequence*> may_leave_;  // by index, whose clients may still leave; never walked
  std::vector<Sequence*> leaving_;                         // told, but computed by the step that runs
  std::vector<std::int64_t> due_;                          // whose time came when they had their last token
  Watchdog watchdog_;
  std::int64_t cached_blocks_evicted_ = 0;  // told so far
  std::int64_t arrivals_ = 0;
  std::optional<Time> emptied_ = Time{};  // since when nobody is in the server
};

}  // namespace decodesim
