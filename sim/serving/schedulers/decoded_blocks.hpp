#pragma once
// Blocks that decoding sequences fill, where KV can be found again.

#include <algorithm>
#include <cstdint>

#include "sim/serving/paged_memory.hpp"
#include "sim/serving/replica_view.hpp"
#include "sim/serving/schedulers/late_hashes.hpp"

namespace decodesim {

/// Registers what the coming tokens of the cohort fill, and what drafts filled that the step before accepted. Nobody else
/// fills a block with the same tokens, so it makes no difference that the engine itself registers each as its sequence
/// gets its token.
class DecodedBlocks {
 public:
  DecodedBlocks(PagedMemory& memory, LateHashes& late_hashes, const SchedulerSpec& knobs)
      : memory_(memory), late_hashes_(late_hashes), async_(knobs.async), drafts_(knobs.speculative.draft_tokens) {}

  void register_all(const ReplicaView& view) {
    for (std::int64_t back = 0; back <= std::min(drafts_, view.block_size() - 1); ++back) {
      for (Sequence* member = view.cohort().at_boundary_after(1 - back).front(); member != nullptr;
           member = LockStep::BoundaryList::after(*member)) {
        register_one(view, *member);
      }
    }
  }

  void register_one(const ReplicaView& view, Sequence& member) {
    const std::int64_t cached = view.cached(member);
    if (async_) {
      late_hashes_.note(member, cached);  // planned ahead, its token is not known yet
    } else if (drafts_ > 0) {
      memory_.register_rest(member, std::max<std::int64_t>(0, cached - drafts_), cached + 1);
    } else {
      memory_.register_full(member, cached, cached + 1);
    }
  }

 private:
  PagedMemory& memory_;
  LateHashes& late_hashes_;
  bool async_;
  std::int64_t drafts_;
};

}  // namespace decodesim
