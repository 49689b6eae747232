#pragma once
// KV memory in blocks that requests find again by their tokens, as TensorRT-LLM keeps it.

#include <cstdint>

#include "sim/serving/block_memory.hpp"
#include "sim/serving/block_tree.hpp"
#include "sim/serving/trtllm_knobs.hpp"

namespace decodesim {

/// A pool whose blocks stay in a tree of their tokens. They are found by token: full blocks are shared, of one more its
/// beginning may be used. Whoever comes back keeps nothing else of what it had.
class ReusableMemory final : public BlockMemory {
 public:
  ReusableMemory(std::int64_t blocks, std::int64_t block_size, const TrtllmKnobs& knobs)
      : BlockMemory(blocks, block_size), tree_(block_size), knobs_(knobs) {}

  /// What a waiting sequence would find now.
  struct Reuse {
    std::int64_t full = 0;    // blocks
    std::int64_t held = 0;    // of them the first that somebody holds: they need no free one, and stay
    std::int64_t tokens = 0;  // in place if it started now, those of a partly matched block included
  };

  /// Stores what is cached of it, the last block perhaps in part, and lets go of all.
  void release(Sequence& sequence, Released) override;
  [[nodiscard]] std::int64_t cached_blocks_evicted() const override { return evicted_; }
  void describe(MemoryFacts& facts) const override;

  /// Makes the table long enough for `tokens`; the caller knows that there is room.
  void grow(Sequence& sequence, std::int64_t tokens);

  [[nodiscard]] bool reuses() const { return knobs_.enable_block_reuse; }
  [[nodiscard]] Reuse look_up(const Sequence& waiting) const;
  /// The first full block of its known tokens that would be new, where another request could need the same.
  [[nodiscard]] BlockTree::NewBlock first_new(const Sequence& sequence) {
    return tree_.first_new(sequence.request, sequence.known());
  }
  /// Gives a waiting sequence the blocks of all its known tokens, those that it finds among them; returns how many
  /// tokens are in place.
  std::int64_t start(Sequence& waiting);
  /// Its context is computed: the full blocks of it can be found from now on, but for the last token.
  void store_context(const Sequence& sequence);

 private:
  [[nodiscard]] BlockTree::Match match(const Sequence& waiting) const;
  [[nodiscard]] bool in_place(BlockId partial) const {
    return pool_.references(partial) == 0 && tree_.is_leaf(partial);
  }

  BlockTree tree_;
  TrtllmKnobs knobs_;
  std::int64_t evicted_ = 0;
};

}  // namespace decodesim
