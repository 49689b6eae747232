#pragma once
// One run of the plain stepper.

#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/workload/request_source.hpp"
#include "tests/support/plain_scheduler.hpp"

namespace decodesim::tests {

class PlainRun {
 public:
  PlainRun(const ServerConfig& server, RequestSource& source, std::span<Observer* const> observers)
      : server_(server), source_(source), observers_(observers), scheduler_(make_plain_scheduler(server)) {}

  RunFacts play();

 private:
  struct Life {
    Request request;
    PlainSequence sequence;
    bool ended = false;
    std::optional<Time> leaves{};  // when its client gives up
    std::string_view why{};
  };

  // Change: who leaves, who arrives, who ends.
  [[nodiscard]] static bool may_leave(const Life& life) {
    return life.leaves && !life.ended && !life.sequence.over && !life.sequence.given_up;
  }
  [[nodiscard]] std::optional<Time> next_change() const;
  void change_before(Time limit);
  void change_at(Time instant);
  void leave(Life& life, Time at);
  [[nodiscard]] bool closed(Time at) const { return source_.closes() && at >= *source_.closes(); }
  void think(Request request, Time until);
  void fill_places(Time instant);
  std::optional<Request> next_arrival(Time instant);
  void arrive(Request request);
  void go_on(const Request& request, bool answered, Time at);
  [[nodiscard]] Duration recompute_until(Time instant) const;
  void end(PlainSequence& sequence, Outcome outcome, std::string_view reason, Time at);
  // Decide and play: one pass and its step.
  void sleep_until(Time arrival);
  void tell_idle_passes();
  bool step(const PlainPlan& plan);
  std::vector<SwapFacts> book_transfers(const PlainPlan& plan, StepFacts& facts);
  void release_those_over();
  std::vector<PlainSequence*> tell_those_over();
  std::vector<RecomputeFacts> book_recomputed(const PlainPlan& plan, StepShape& without);
  [[nodiscard]] std::vector<const Request*> who_entered(const PlainPlan& plan) const;
  // The end.
  [[nodiscard]] std::string who_waits(const std::string& why) const;
  RunFacts finish(std::string watchdog);

  const ServerConfig& server_;
  RequestSource& source_;
  std::span<Observer* const> observers_;
  std::unique_ptr<PlainScheduler> scheduler_;

  std::deque<Life> lives_;                // everyone who arrived; addresses stay
  std::vector<PlainSequence*> over_;      // got their last token in the last step, which the scheduler has not learned
  std::optional<Request> open_next_;      // open loop: the next arrival
  std::vector<Request> thinking_;         // turns and others that come later by themselves
  std::int64_t vacancies_ = 0;            // closed loop: places to be taken at this instant
  std::int64_t fresh_places_ = 0;         // closed loop: that nobody took yet
  const PlainPlan* in_flight_ = nullptr;  // the step that runs
  std::vector<PlainSequence*> leaving_;   // whose clients left while it computes them
  Time now_{};
  Time last_happened_{};
  std::vector<PlainSequence*> ran_before_;  // this pass
  Duration recompute_time_{};               // of all steps that are over
  Duration recompute_ahead_{};              // of the step that runs, at its end
  Time step_end_{};
  std::int64_t pass_ = 1;                   // the number of the next pass
  std::int64_t idle_passes_ = 0;            // just before it, not told yet
  std::optional<Time> emptied_ = Time{};    // since when nobody is in the server
  std::int64_t cached_blocks_evicted_ = 0;  // told so far
  std::int64_t tokens_ = 0;                 // that came out, less those that were dropped
  std::int64_t most_tokens_ = 0;
  std::int64_t speculating_steps_ = 0;    // in which anybody had drafts
  std::int64_t preemptions_in_vain_ = 0;  // since a token, an arrival or an end
};

}  // namespace decodesim::tests
