#pragma once
// The paged KV memory of a node: real blocks with identities and reference counts.

#include <cstdint>
#include <utility>
#include <vector>

#include "sim/serving/hashed_blocks.hpp"

namespace decodesim {

/// The blocks of one sequence, in the order of its tokens.
using BlockTable = std::vector<BlockId>;

/// Where a block goes that nobody holds any more and that has no hash: nobody can find it, so nothing is lost with it.
enum class UncachedFree { to_tail, to_head };

/// Free blocks wait in a queue: allocation takes from its head, release appends to its tail, so the block that was
/// freed longest ago is reused first. A block whose KV can be found by its hash keeps it while it waits there, and loses
/// it as it is handed out. Always: free + used = total.
class BlockPool {
 public:
  /// All of `blocks` (0 to 2^32 - 2) free, in increasing order of their numbers. Memory follows use: a block takes some
  /// once it was handed out.
  explicit BlockPool(std::int64_t blocks, UncachedFree uncached = UncachedFree::to_tail);

  /// From now on, before the first block is handed out, blocks are counted alone: tables hold zeros, and nothing but the
  /// counts may be asked for. The queue costs a miss of the processor's cache a block, which is most of a run where nobody
  /// shares blocks.
  void count_only() { counts_only_ = true; }

  [[nodiscard]] std::int64_t total() const { return total_; }
  [[nodiscard]] std::int64_t free() const { return free_; }
  [[nodiscard]] std::int64_t used() const { return total_ - free_; }

  /// Appends `count` blocks to `table` and returns true, or changes nothing and returns false where fewer are free.
  [[nodiscard]] bool allocate(std::int64_t count, BlockTable& table);
  /// Gives up one reference to each block of `table`, last block first, and empties it. A block goes back to the queue
  /// with its last reference.
  void release(BlockTable& table);

  /// From now on a block that somebody holds is found by this hash.
  void register_hash(BlockId block, std::uint64_t hash) { hashed_.add(block, hash); }
  /// From now on it is not, though it was not handed out.
  void forget_hash(BlockId block) { hashed_.remove(block); }
  [[nodiscard]] bool has_hash(BlockId block) const { return hashed_.has(block); }
  /// The block with this hash, the first registered of several, or 0.
  [[nodiscard]] BlockId find(std::uint64_t hash) const { return hashed_.find(hash); }
  [[nodiscard]] std::uint32_t references(BlockId block) const { return blocks_[block].references; }
  /// Appends a block that was found to `table`; out of the middle of the queue where nobody held it. Constant time.
  void share(BlockId block, BlockTable& table);
  /// Blocks that lost their hash because they were handed out.
  [[nodiscard]] std::int64_t hashes_evicted() const { return hashes_evicted_; }

  /// From now on the hashes that are lost are kept until they are asked for, in the order of their loss.
  void keep_evicted() { keeps_evicted_ = true; }
  [[nodiscard]] std::vector<std::uint64_t> take_evicted() { return std::exchange(evicted_, {}); }

  /// The free blocks in the order in which they will be handed out. Walks them all, as hashed() does those with a hash.
  [[nodiscard]] std::vector<BlockId> free_queue() const;
  [[nodiscard]] std::vector<BlockId> hashed() const { return hashed_.all(); }

 private:
  // The queue has three parts, one behind the other: blocks without a hash that came back to its head; those that were
  // never used, in the order of their numbers, which need no links; and those that came back to its tail, in a ring of
  // links through block 0, so that one can leave its middle in constant time.
  struct Block {
    BlockId previous;
    BlockId next;
    std::uint32_t references;
  };
  BlockId take_first();
  void append(BlockId block);
  void unlink(BlockId block);

  std::vector<Block> blocks_;     // block 0, and those that were used
  std::vector<BlockId> at_head_;  // the last one is handed out next
  HashedBlocks hashed_;
  std::int64_t total_;
  std::int64_t free_;
  std::int64_t hashes_evicted_ = 0;
  bool counts_only_ = false;
  bool keeps_evicted_ = false;
  std::vector<std::uint64_t> evicted_;
  UncachedFree uncached_;
};

}  // namespace decodesim
