#pragma once
// The one way in which a policy changes a replica.

#include <cstdint>

#include "sim/serving/replica_state.hpp"

namespace decodesim {

/// Where a victim waits for its return.
enum class Destination { head, tail, same_place, by_key };

/// An eviction as a policy orders it.
struct Eviction {
  const Sequence* requester = nullptr;  // whom it makes room for; the victim itself perhaps; null: nobody in particular
  EvictionReason reason = EvictionReason::decode;
  Destination destination = Destination::head;
  bool loses_token = false;  // what the step before yielded for it was never looked at, and is lost
};

/// The decisions of one pass. Every call is checked before it acts, and acts at once, so that what a policy decides next
/// sees the memory and the queues as they are by then. Decoding is implicit: a member of the cohort gets one token unless
/// it is evicted or stalled, or the cohort is paused. Memory is taken by the policy itself, from the memory that its
/// engine was made with; an eviction gives it back.
class Draft {
 public:
  Draft(ReplicaState& state, PassDecisions& decisions);

  /// Lets the whole cohort wait in this pass: constant time.
  void pause_cohort() { decisions_.decodes = false; }
  /// Takes that back.
  void resume_cohort() { decisions_.decodes = true; }
  /// Leaves a decoding sequence out of this pass and those that follow, until it is resumed or served.
  void stall(Sequence& member);
  /// Takes a stalled sequence that is ready to decode back into the cohort, for this pass on.
  void resume(Sequence& stalled);

  /// Gives a running sequence outside the cohort its next `tokens`. The caller took the memory.
  void serve(Sequence& sequence, std::int64_t tokens);
  /// Takes back what serve() or admit() gave it in this pass, and returns how many tokens that was.
  std::int64_t take_back(Sequence& sequence);

  /// Lets the step also compute slots that no request fills any more. They cost time and yield nothing.
  void pad(const StepShape& slots) { decisions_.padding = slots; }

  /// Evicts a running sequence: its memory is given back, its KV lost, what it was given in this pass is taken back, and
  /// it goes where the eviction says. Under `never_fits: {fail_after: k}` it is given up instead where it evicted itself
  /// for the k-th time.
  void evict(Sequence& victim, const Eviction& eviction);

  /// Moves a running sequence's KV to the host and returns true: its device memory is given back, its counts stay, and
  /// what it was given in this pass is taken back. Where the host lacks room for all its blocks, changes nothing and
  /// returns false.
  [[nodiscard]] bool swap_out(Sequence& victim, const Eviction& eviction);
  /// Evicts or swaps a running sequence, as wanted and as the host has room, and says which. Nothing is swapped that has
  /// no KV, or that is given up by being evicted.
  KvFate displace(Sequence& victim, const Eviction& eviction, KvFate wanted);
  /// Brings a swapped sequence's KV back: it runs again, and decodes in this pass where only its newest token lacks KV.
  /// The caller took the memory.
  void swap_in(Sequence& swapped);

  /// Admits a sequence that waits in the queue or with what it loaded, with `found` tokens in place, and gives it the next
  /// `tokens`; none, where a later call does. The caller took the memory.
  void admit(Sequence& waiting, std::int64_t found, std::int64_t tokens);
  /// Takes a waiting sequence out of the queue until its KV is there at `ends`: `found` tokens, of which `on_device` were
  /// found on the device. The caller took the memory. It is admitted later, with what it found but its last known token.
  void begin_load(Sequence& waiting, std::int64_t on_device, std::int64_t found, Time ends);
  /// What it loaded is there.
  void end_load(Sequence& loading);
  /// So many blocks go to the host tier in this pass.
  void store(std::int64_t blocks) { decisions_.blocks_stored += blocks; }
  /// Of what `admitted` is admitted with, so many tokens in so many blocks come from the host tier in this pass.
  void load(Sequence& admitted, std::int64_t tokens, std::int64_t blocks);
  /// So many blocks begin to come from there beside the steps.
  void load_beside(std::int64_t blocks) { decisions_.blocks_loading += blocks; }
  /// Gives up a request that waits or is swapped; it leaves with this reason at the end of the pass.
  void drop(Sequence& sequence, std::string_view reason = reason_given_up);

  /// The queue's list, for schedulers that sort it by themselves.
  [[nodiscard]] std::deque<Sequence*>& queue_list() { return state_.waiting.list(); }

  /// Says that the engine moved in this pass, so that another may decide otherwise though nothing happened in between.
  void moved() { decisions_.moved = true; }
  /// Says why the pass admitted no more than it did.
  void limited_by(AdmissionLimit limit) { decisions_.limit = limit; }
  /// Was a victim of this pass given up?
  [[nodiscard]] bool gave_up_any() const { return decisions_.gave_up_victim; }
  [[nodiscard]] bool evicted_any() const { return !decisions_.preempted.empty(); }
  /// Who got tokens beside the cohort so far.
  [[nodiscard]] const std::vector<Chunk>& chunks() const { return decisions_.chunks; }

 private:
  void waited(Sequence& sequence);
  void leave_running(Sequence& victim);
  void withdraw_token(Sequence& victim);
  void book_eviction(Sequence& victim, const Eviction& eviction, KvFate fate);
  void enter_running(Sequence& sequence);
  void enter_prefilling(Sequence& sequence);
  void requeue(Sequence& victim, Destination destination);
  void book_load(Sequence& loaded, std::int64_t tokens);

  ReplicaState& state_;
  PassDecisions& decisions_;
};

}  // namespace decodesim
