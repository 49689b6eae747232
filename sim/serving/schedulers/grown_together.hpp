#pragma once
// Decoding sequences that take their next blocks together, while there is room for everybody.

#include <cstdint>

#include "sim/serving/paged_memory.hpp"
#include "sim/serving/replica_view.hpp"

namespace decodesim {

/// Where the numbers of blocks mean nothing and nobody can be evicted in a pass, it makes no difference which decoding
/// sequence takes its block first: all that need one take theirs at once, and none of them is looked at. How many a member
/// holds then follows from its tokens, and is written into it when it leaves the cohort.
///
/// Where room gets scarce the counts of all members are written down and they are walked again, as long as it would take to
/// do that for all of them at every block: so going back and forth costs no more than walking does.
class GrownTogether {
 public:
  /// `possible`: passes are not planned ahead of results, and each member gets one token a step.
  GrownTogether(PagedMemory& memory, bool possible) : memory_(memory), possible_(possible) {}

  /// Gives all members of the cohort the blocks for their next tokens and returns true, or does nothing, and then each has to
  /// be walked in this pass. `budget` is what prompts may take, and `others_wait` says that somebody stands among the
  /// members who is none.
  bool grow_all(const ReplicaView& view, std::int64_t budget, bool others_wait) {
    if (!possible_ || !memory_.counts_all()) return end(view);
    ++passes_walked_;
    const std::int64_t needed = view.cohort().at_boundary().size();
    const std::int64_t prompts_may = view.blocks_for(budget) + static_cast<std::int64_t>(view.prefilling().size());
    if (others_wait || needed + prompts_may > view.free_blocks() || !prompts_stand_last(view)) return end(view);
    if (!on_ && passes_walked_ < view.block_size()) return false;
    on_ = true;
    memory_.take_for_decoding(needed);
    return true;
  }
  /// Did all get theirs in the pass at hand?
  [[nodiscard]] bool grew() const { return on_; }
  /// `sequence` decoded, and is no member of the cohort any more.
  void left(Sequence& sequence) {
    if (possible_) memory_.count_decoded(sequence, sequence.cached);
  }

 private:
  /// Then no prompt can take its tokens from who decodes, and blocks are handed out in the order of admission all the same.
  static bool prompts_stand_last(const ReplicaView& view) {
    Sequence* last = view.last_admitted();
    for (std::size_t i = 0; i < view.prefilling().size(); ++i, last = ReplicaView::admitted_before(*last))
      if (last->state != SequenceState::prefilling) return false;
    return true;
  }
  bool end(const ReplicaView& view) {
    if (on_) {
      for (Sequence* one = view.first_admitted(); one != nullptr; one = ReplicaView::admitted_after(*one))
        if (one->state == SequenceState::decoding) memory_.count_decoded(*one, view.cohort().cached(*one));
      passes_walked_ = 0;
    }
    on_ = false;
    return false;
  }

  PagedMemory& memory_;
  bool possible_;
  bool on_ = false;
  std::int64_t passes_walked_ = 0;  // since it was on
};

}  // namespace decodesim
