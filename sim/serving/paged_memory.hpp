#pragma once
// KV memory in blocks of one size, handed out on demand.

#include <cstdint>

#include "sim/serving/block_pool.hpp"
#include "sim/serving/kv_memory.hpp"

namespace decodesim {

/// A block pool and the tables of its sequences: vLLM's kind of memory, and of those that followed it.
class PagedMemory : public KvMemory {
 public:
  PagedMemory(std::int64_t blocks, std::int64_t block_size) : pool_(blocks), block_size_(block_size) {}

  [[nodiscard]] std::int64_t total() const override { return pool_.total(); }
  [[nodiscard]] std::int64_t free() const override { return pool_.free(); }
  [[nodiscard]] KvSlots slots() const override {
    return {.total = pool_.total() * block_size_, .requested = pool_.used() * block_size_, .final_length = {}};
  }
  void release(Sequence& sequence, Released) override { pool_.release(sequence.blocks); }

  [[nodiscard]] std::int64_t blocks_for(std::int64_t tokens) const { return (tokens + block_size_ - 1) / block_size_; }
  /// Blocks that `sequence` still lacks to hold `tokens`.
  [[nodiscard]] std::int64_t missing(const Sequence& sequence, std::int64_t tokens) const {
    const std::int64_t blocks = blocks_for(tokens) - static_cast<std::int64_t>(sequence.blocks.size());
    return blocks > 0 ? blocks : 0;
  }
  /// Makes the table of `sequence` long enough for `tokens` and returns true, or changes nothing and returns false where
  /// too few blocks are free.
  [[nodiscard]] bool grow(Sequence& sequence, std::int64_t tokens) {
    return pool_.allocate(missing(sequence, tokens), sequence.blocks);
  }

 private:
  BlockPool pool_;
  std::int64_t block_size_;
};

}  // namespace decodesim
