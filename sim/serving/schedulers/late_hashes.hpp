#pragma once
// Blocks that a token fills which is not known yet, where passes are planned ahead.

#include <cstdint>
#include <vector>

#include "sim/serving/paged_memory.hpp"

namespace decodesim {

/// Planned ahead, the token that fills a block is not known yet: the block is registered when its sequence is served
/// again, or else once the pass after this one has been planned, unless the sequence is evicted before.
class LateHashes {
 public:
  explicit LateHashes(PagedMemory& memory) : memory_(memory) {}

  /// The pass at hand computes the KV of this token of `sequence`, the one behind `cached` others.
  void note(Sequence& sequence, std::int64_t cached) {
    if (memory_.caches_prefixes()) filled_.push_back({&sequence, cached});
  }
  /// Registers those of the pass before whose sequences are served in this one.
  void register_served() {
    std::erase_if(filled_before_, [this](const Filled& one) {
      const SequenceState state = one.sequence->state;
      const bool served = state == SequenceState::decoding || state == SequenceState::prefilling;
      if (served) add(one);
      return served;
    });
  }
  /// Registers those of the pass before of one sequence.
  void register_those_of(const Sequence& sequence) {
    for (const Filled& one : filled_before_) {
      if (one.sequence == &sequence) add(one);
    }
  }
  /// The pass is planned.
  void end_pass() {
    for (const Filled& one : filled_before_) add(one);
    filled_before_.clear();
    filled_before_.swap(filled_);
  }
  void forget(const Sequence& sequence) {
    const auto of_it = [&](const Filled& one) { return one.sequence == &sequence; };
    std::erase_if(filled_, of_it);
    std::erase_if(filled_before_, of_it);
  }

 private:
  struct Filled {
    Sequence* sequence;
    std::int64_t cached;  // before that token
  };
  void add(const Filled& one) { memory_.register_full(*one.sequence, one.cached, one.cached + 1); }

  PagedMemory& memory_;
  std::vector<Filled> filled_;         // in this pass
  std::vector<Filled> filled_before_;  // and in the one before
};

}  // namespace decodesim
