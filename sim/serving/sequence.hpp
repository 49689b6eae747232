#pragma once
// One request inside the server.

#include <cstdint>

#include "sim/core/time.hpp"
#include "sim/serving/block_pool.hpp"
#include "sim/serving/prefix_chain.hpp"
#include "sim/workload/request.hpp"

namespace decodesim {

struct Sequence;

/// Where a sequence stands in one of the lists that it can be in.
struct SequenceLink {
  Sequence* previous = nullptr;
  Sequence* next = nullptr;
};

enum class SequenceState {
  waiting,     // in the queue, without KV
  loading,     // its KV is on the way into blocks that it holds; it stands in no queue
  loaded,      // that KV is there; it waits with it until it is admitted
  prefilling,  // running; has tokens whose KV is still to be computed beyond the next one
  decoding,    // running in lock-step: as many tokens a step as all who do
  stalled,     // running, but left out of the lock-step: it gets no token until it is resumed or served
  swapped,     // its KV lies on the host: it keeps its counts, holds no memory here, and stands in no queue
  finishing,   // running; it has all the tokens that it may get, and holds its place until its end is applied
};

/// Counts of tokens follow the field's reference: T = prompt + generated tokens are known, `cached` of them have KV,
/// and a step that makes them equal yields the next token.
///
/// While a sequence decodes in lock-step, `cached` and `generated` stand still and LockStep knows the true values.
///
/// A server holds thousands of these, far more than fit into the processor's cache, and a step touches them in no order of
/// their addresses. So its fields stand by who touches them, 64 bytes at a time: what a block boundary needs, what an ending
/// needs, then what is written once a request.
struct alignas(64) Sequence {
  // Touched once every block_size tokens (see lock_step.hpp and paged_memory.hpp).
  SequenceLink boundary;
  std::int64_t order = 0;           // grows with every admission, or is the arrival
  std::int64_t cached_at_zero = 0;  // cached tokens less those that the cohort counts, constant while it decodes
  CountedBlocks counted_blocks;     // behind those of its table
  std::int64_t first_counted_block = counting_not_decided;  // of its table

  // Touched as it joins and leaves the cohort.
  SequenceLink finish;
  SequenceLink running;
  std::int64_t finish_token = 0;  // what the cohort counts when it gets its last
  std::int64_t times_as_of = 0;   // the cohort's step number when the times of its last tokens were written
  std::int64_t cached = 0;
  std::int64_t generated = 0;

  std::int64_t rank = 0;           // running sequences are sorted by rank, then by order
  std::int64_t batch_place = 0;    // its place within a step, where the engine sorts its batch otherwise
  std::int64_t output_tokens = 0;  // when it stops, which no policy sees
  std::size_t tenant = 0;          // whose it is: small and dense, in the order in which tenants were first seen
  std::size_t slot = 0;            // small and dense: policies keep what they remember of a sequence in a vector by it
  std::int64_t arrival = 0;        // grows with every arrival
  std::int64_t cached_before = 0;  // the most KV it ever had before a preemption; computing less again is recompute
  SequenceState state = SequenceState::waiting;
  bool admitted = false;         // at least once
  bool over = false;             // it emitted its last token; no policy sees
  bool left = false;             // its client is gone, and the step that runs still computes it
  bool asked_elsewhere = false;  // its KV was loaded from elsewhere, which happens once

  Time scheduled{Duration(-1)};
  Time first_token{Duration(-1)};
  Time last_token{Duration(-1)};
  Time token_before{Duration(-1)};  // the one before that, if any
  Duration waited{};                // in stretches that are over
  Time waits_since{};  // while it waits; also while it is left out of what runs, where an engine counts that
  Duration recompute_at_arrival{};  // what all steps had spent on recompute by then
  Duration recompute_at_first_token{};

  Request request;

  BlockTable blocks;
  PrefixChain chain;           // of what its blocks hold, where KV can be found again
  std::int64_t ticket = 0;     // grows with every place taken in the queue
  std::int64_t predicted = 0;  // what a predictor makes of its output_tokens, where the engine has one
  std::int64_t generated_at_admission = 0;
  std::int64_t found_on_device = 0;  // tokens that it needed no load for
  Time load_began{};
  Time load_ends{};              // of the KV that it loads or loaded last
  std::int64_t host_blocks = 0;  // while it is swapped

  std::int64_t recomputed = 0;
  std::int64_t preemptions = 0;
  std::int64_t self_preemptions = 0;
  std::int64_t discarded = 0;     // KV tokens that preemptions took from it
  std::int64_t swapped_out = 0;   // KV tokens that went to the host
  std::int64_t found_first = 0;   // tokens in place at admission that it never had before
  std::int64_t found_again = 0;   // tokens in place when it was admitted again, of those that preemptions took
  std::int64_t host_found = 0;    // of both, what came from the host tier
  std::int64_t remote_found = 0;  // and what was loaded from elsewhere
  std::int64_t loads = 0;         // that it waited for
  Duration loading{};             // how long they took

  static constexpr std::int64_t counting_not_decided = -1;

  /// Behind the first block that is counted all are, so then the counts say it all, and the table needs no look.
  [[nodiscard]] std::int64_t blocks_held() const {
    return counted_blocks.held > 0 ? first_counted_block + counted_blocks.held
                                   : static_cast<std::int64_t>(blocks.size());
  }
  [[nodiscard]] std::int64_t known() const { return request.input_tokens + generated; }
  [[nodiscard]] bool has_emitted() const { return first_token >= Time{}; }
};

/// Does `a` stand before `b` among the running sequences?
inline bool stands_before(const Sequence& a, const Sequence& b) {
  return a.rank != b.rank ? a.rank < b.rank : a.order < b.order;
}
/// The same for pointers, and as the engine has them in its batch where it sorts that otherwise.
inline bool before_in_batch(const Sequence* a, const Sequence* b) {
  return a->batch_place != b->batch_place ? a->batch_place < b->batch_place : stands_before(*a, *b);
}

/// A list through one of a sequence's links.
template <SequenceLink Sequence::*link>
class SequenceList {
 public:
  [[nodiscard]] bool empty() const { return head_ == nullptr; }
  [[nodiscard]] std::int64_t size() const { return size_; }
  [[nodiscard]] Sequence* front() const { return head_; }
  [[nodiscard]] Sequence* back() const { return tail_; }
  [[nodiscard]] static Sequence* after(const Sequence& sequence) { return (sequence.*link).next; }
  [[nodiscard]] static Sequence* before(const Sequence& sequence) { return (sequence.*link).previous; }

  void push_back(Sequence& sequence) { insert_after(tail_, sequence); }
  /// Keeps the list sorted as running sequences stand; constant time where the sequence belongs near the end, as new ones
  /// do.
  void insert_by_order(Sequence& sequence) {
    Sequence* place = tail_;
    while (place != nullptr && stands_before(sequence, *place)) place = before(*place);
    insert_after(place, sequence);
  }
  void remove(Sequence& sequence) {
    SequenceLink& own = sequence.*link;
    (own.previous != nullptr ? (own.previous->*link).next : head_) = own.next;
    (own.next != nullptr ? (own.next->*link).previous : tail_) = own.previous;
    own = {};
    --size_;
  }

 private:
  void insert_after(Sequence* place, Sequence& sequence) {
    SequenceLink& own = sequence.*link;
    own.previous = place;
    own.next = place != nullptr ? (place->*link).next : head_;
    (place != nullptr ? (place->*link).next : head_) = &sequence;
    (own.next != nullptr ? (own.next->*link).previous : tail_) = &sequence;
    ++size_;
  }

  Sequence* head_ = nullptr;
  Sequence* tail_ = nullptr;
  std::int64_t size_ = 0;
};

}  // namespace decodesim
