#pragma once
// KV memory in which full blocks with the same tokens are one block.

#include <cstdint>
#include <vector>

#include "sim/serving/paged_memory.hpp"

namespace decodesim {

/// The prefix cache of vLLM V0. A sequence takes the blocks of all its known tokens at once, and a full block that is there
/// already is shared from then on, whoever computes what it holds: so requests that begin alike and start together hold
/// their beginning once, though each computes it. What is in a block is found only once a pass before has computed it.
///
/// A block that is given back before it was computed can be found by nobody, so every free block with a hash holds what its
/// hash says. And a block is there only where all before it are: they are taken, and given back later, by whoever holds it.
class MergedMemory final : public PagedMemory {
 public:
  using PagedMemory::PagedMemory;

  /// How a waiting sequence would begin.
  struct Beginning {
    std::int64_t shared = 0;  // blocks of its table that others hold, so that they need no room
    std::int64_t found = 0;   // tokens that need not be computed; the last known one always is
  };
  /// One look a block that is there.
  [[nodiscard]] Beginning beginning_of(Sequence& waiting) const;

  /// Fills the empty table of a waiting sequence for all its known tokens and returns true, or changes nothing and returns
  /// false where too few blocks are free.
  [[nodiscard]] bool take_known(Sequence& waiting);
  /// The coming token of a decoding sequence, behind `cached` others, fills the last block of its table. Where there is
  /// such a block already it takes that one's place.
  void fill(Sequence& decoding, std::int64_t cached);
  /// The pass that is planned computes the tokens of `sequence` up to `tokens`: who is admitted in a later one finds them.
  void computed(const Sequence& sequence, std::int64_t tokens);

  void release(Sequence& sequence, Released why) override;

 private:
  void enter(Sequence& sequence, std::int64_t block);
  [[nodiscard]] bool is_computed(BlockId block) const { return block < computed_.size() && computed_[block]; }

  std::vector<bool> computed_;  // by block; of those with a hash
};

}  // namespace decodesim
