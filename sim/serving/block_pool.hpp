#pragma once
// The paged KV memory of a node: real blocks with identities and reference counts.

#include <cstdint>
#include <vector>

namespace decodesim {

/// A block of KV memory, numbered from 1. Number 0 is vLLM's null block: it is never handed out.
using BlockId = std::uint32_t;
/// The blocks of one sequence, in the order of its tokens.
using BlockTable = std::vector<BlockId>;

/// Free blocks wait in a queue: allocation takes from its head, release appends to its tail, so the block that was
/// freed longest ago is reused first. Always: free + used = total.
class BlockPool {
 public:
  /// All of `blocks` (0 to 2^32 - 2) free, in increasing order of their numbers. Memory follows use: a block takes some
  /// once it was handed out.
  explicit BlockPool(std::int64_t blocks);

  [[nodiscard]] std::int64_t total() const { return total_; }
  [[nodiscard]] std::int64_t free() const { return free_; }
  [[nodiscard]] std::int64_t used() const { return total_ - free_; }

  /// Appends `count` blocks to `table` and returns true, or changes nothing and returns false where fewer are free.
  [[nodiscard]] bool allocate(std::int64_t count, BlockTable& table);
  /// Gives up one reference to each block of `table`, last block first, and empties it. A block goes back to the queue
  /// with its last reference.
  void release(BlockTable& table);

 private:
  // Blocks that were never used come first in the queue, in the order of their numbers, so they need no links. Those that
  // came back follow in a ring of links through block 0, so that a block can later leave its middle in constant time.
  struct Block {
    BlockId previous;
    BlockId next;
    std::uint32_t references;
  };
  BlockId take_first();

  std::vector<Block> blocks_;  // block 0, and those that were used
  std::int64_t total_;
  std::int64_t free_;
};

}  // namespace decodesim
