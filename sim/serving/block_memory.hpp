#pragma once
// KV memory in blocks of one size: what all kinds of it have.

#include <algorithm>
#include <cstdint>

#include "sim/core/rounding.hpp"
#include "sim/serving/block_pool.hpp"
#include "sim/serving/kv_memory.hpp"

namespace decodesim {

/// A block pool and the tables of its sequences.
class BlockMemory : public KvMemory {
 public:
  [[nodiscard]] std::int64_t total() const override { return pool_.total(); }
  [[nodiscard]] std::int64_t free() const override { return pool_.free(); }
  [[nodiscard]] KvSlots slots() const override {
    return {.total = pool_.total() * block_size_, .requested = pool_.used() * block_size_, .final_length = {}};
  }

  [[nodiscard]] std::int64_t block_size() const { return block_size_; }
  [[nodiscard]] std::int64_t blocks_for(std::int64_t tokens) const { return ceil_div(tokens, block_size_); }
  /// Blocks that `sequence` still lacks to hold `tokens`.
  [[nodiscard]] std::int64_t missing(const Sequence& sequence, std::int64_t tokens) const {
    return std::max<std::int64_t>(0, blocks_for(tokens) - sequence.blocks_held());
  }

 protected:
  BlockMemory(std::int64_t blocks, std::int64_t block_size, UncachedFree uncached = UncachedFree::to_tail)
      : pool_(blocks, uncached), block_size_(block_size) {}

  BlockPool pool_;
  std::int64_t block_size_;
};

}  // namespace decodesim
