#pragma once
// The walk over decoding sequences of the schedulers that want a free block for each of them.

#include "sim/serving/draft.hpp"
#include "sim/serving/paged_memory.hpp"
#include "sim/serving/replica_view.hpp"

namespace decodesim {

/// In the order of running: whoever decodes takes the block that its next token starts, if it does. With `always_one` a
/// block must be free for it in any case, whether its token starts one or not. Where none is free `evict(requester)` makes
/// room, by taking a running sequence that comes later, or the requester itself, out of the batch; it returns the victim.
///
/// Only those who take a block are looked at, and those who meet an empty pool.
template <class Evict>
void append_slots(const ReplicaView& view, PagedMemory& memory, bool always_one, const Evict& evict) {
  Sequence* boundary = view.cohort().at_boundary().front();  // the next that takes a block
  Sequence* next = view.first_admitted();                    // the next whose turn it is
  while (next != nullptr) {
    if (memory.free() > 0 || !always_one) {
      // Everybody before the next who takes a block goes on as it is.
      if (boundary == nullptr) return;
      next = boundary;
    } else if (next->state != SequenceState::decoding) {
      next = ReplicaView::admitted_after(*next);
      continue;
    }
    bool goes_on = true;
    while (memory.free() == 0 && goes_on) {
      Sequence* following = boundary != nullptr ? LockStep::BoundaryList::after(*boundary) : nullptr;
      const Sequence& victim = evict(*next);
      goes_on = &victim != next;
      if (&victim == boundary) boundary = following;
    }
    if (!goes_on) return;  // nobody is left behind it
    if (next == boundary) {
      boundary = LockStep::BoundaryList::after(*boundary);
      check(memory.grow(*next, view.cached(*next) + 1), "a block is free for who needs one");
    }
    next = ReplicaView::admitted_after(*next);
  }
}

}  // namespace decodesim
