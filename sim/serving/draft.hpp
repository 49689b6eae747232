#pragma once
// The one way in which a policy changes a replica.

#include <cstdint>

#include "sim/serving/replica_state.hpp"

namespace decodesim {

/// The decisions of one pass. Every call is checked before it acts, and acts at once, so that what a policy decides next
/// sees the pool and the queues as they are by then. Decoding is implicit: a member of the cohort gets one token unless
/// it is preempted.
class Draft {
 public:
  Draft(ReplicaState& state, PassDecisions& decisions);

  /// Deals `budget` tokens to the running sequences: one to each that decodes, up to `chunk_max` (0: no limit) to each
  /// that prefills. Returns what is left of the budget. Called once, before everything else.
  ///
  /// The budget must reach all of them, as it does where nobody is admitted beyond it; only the one admitted last may get
  /// less than it could take.
  std::int64_t serve_running(std::int64_t budget, std::int64_t chunk_max);

  /// Takes the blocks that served sequences need, in order of admission. Returns the first for which too few are free,
  /// or nothing when all have theirs; after preempting somebody, call it again.
  Sequence* allocate_running();

  /// Evicts a running sequence: its blocks go back to the pool, its KV is lost, and it heads the queue. `requester` is
  /// whom it makes room for; it may be the victim itself. The victim must not have its blocks for this step yet.
  void preempt(Sequence& victim, const Sequence& requester);

  /// Admits the head of the queue with `found` tokens in place, and gives it the next `tokens`. The blocks must be free.
  void admit_head(std::int64_t found, std::int64_t tokens);

  /// Says why the pass admitted no more than it did.
  void limited_by(AdmissionLimit limit) { decisions_.limit = limit; }
  [[nodiscard]] bool preempted_any() const { return !decisions_.preempted.empty(); }

 private:
  [[nodiscard]] std::int64_t missing_blocks(const Chunk& chunk) const;

  ReplicaState& state_;
  PassDecisions& decisions_;
  // allocate_running() merges two sorted lists; these are its places in them.
  Sequence* next_at_boundary_ = nullptr;
  std::size_t next_chunk_ = 0;
};

}  // namespace decodesim
