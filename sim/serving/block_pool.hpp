#pragma once
// The paged KV memory of a node: real blocks with identities and reference counts.

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "sim/core/huge_pages.hpp"
#include "sim/serving/hashed_blocks.hpp"

namespace decodesim {

/// The blocks of one sequence, in the order of its tokens.
using BlockTable = std::vector<BlockId>;

/// The end of a table where nobody looks at numbers: blocks that only their own sequence can ever find again, if any hash
/// is known of them at all. They are counted, so that a thousand of them cost no more than one.
struct CountedBlocks {
  std::int64_t held = 0;
  std::int64_t hashed = 0;  // the first of them, as many as have a hash
  BlockId queued = 0;       // what stood for them in the free queue when they were given back last
};

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

  /// From now on, before the first block is handed out, numbers mean nothing but which blocks are the same, and blocks may be
  /// taken without one. A number costs several misses of the processor's cache on its way through the queue and the hashes,
  /// which is most of a run where nobody shares blocks. Not for a pool whose blocks without a hash go to the tail, unless
  /// none has one.
  void numbers_unseen() { numbers_seen_ = false; }
  [[nodiscard]] bool numbers_seen() const { return numbers_seen_; }

  [[nodiscard]] std::int64_t total() const { return total_; }
  [[nodiscard]] std::int64_t free() const { return free_; }
  [[nodiscard]] std::int64_t used() const { return total_ - free_; }

  /// Appends `count` blocks to `table` and returns true, or changes nothing and returns false where fewer are free.
  [[nodiscard]] bool allocate(std::int64_t count, BlockTable& table);
  /// Gives up one reference to each block of `table`, last block first, and empties it. A block goes back to the queue
  /// with its last reference.
  void release(BlockTable& table);

  /// The same without numbers: takes `count` blocks, at most as many as are free.
  void take(std::int64_t count);
  /// Gives all of them back, before the blocks with numbers that stand before them in their table. `owner`, not 0, can take
  /// those with a hash again until they are handed out.
  void release(CountedBlocks& counted, std::int64_t owner = 0);
  /// How many of the blocks that `owner` gave back last it could take again: the first ones of them.
  [[nodiscard]] std::int64_t takes_again(const CountedBlocks& counted, std::int64_t owner) const;
  /// Takes the first `count` of them; nobody finds the others any more.
  void take_again(std::int64_t count, CountedBlocks& counted, std::int64_t owner);

  /// From now on a block that somebody holds is found by this hash.
  void register_hash(BlockId block, std::uint64_t hash) { hashed_.add(block, hash); }
  /// From now on it is not, though it was not handed out.
  void forget_hash(BlockId block) { hashed_.remove(block); }
  [[nodiscard]] bool has_hash(BlockId block) const { return hashed_.has(block); }
  /// These hashes will be looked for soon: what is known of them comes from the memory of the machine at once, not one after
  /// the other.
  void expect(std::span<const std::uint64_t> hashes) const {
    for (const std::uint64_t hash : hashes) hashed_.expect_hash(hash);
    for (const std::uint64_t hash : hashes) expect(hashed_.first_in_bucket(hash));
  }
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
  //
  // Where numbers are not seen, blocks of the first two parts are alike and only counted (`blank_`). In the ring a block may
  // stand for several that were given back together, the last of their table first, and numbers that are not in use wait in
  // at_head_.
  struct Block {
    BlockId previous;
    BlockId next;
    std::uint32_t references;
    std::uint32_t stands_for;  // blocks without numbers; 0: it is itself
  };
  // It will be looked at soon. Blocks lie in no order, so else each look would wait for the memory of the machine.
  void expect(BlockId block) const {
    __builtin_prefetch(&blocks_[block]);
    hashed_.expect(block);
  }
  BlockId take_first();
  BlockId new_number();
  void hand_out(std::int64_t count);
  void lose_hash(BlockId block);
  void retire_number(BlockId block);
  void append(BlockId block);
  void unlink(BlockId block);

  std::vector<Block, HugePages<Block>> blocks_;  // block 0, and those that were used
  std::vector<BlockId> at_head_;                 // the last one is handed out next
  HashedBlocks hashed_;
  std::int64_t total_;
  std::int64_t free_;
  std::int64_t blank_;
  std::int64_t hashes_evicted_ = 0;
  bool numbers_seen_ = true;
  bool keeps_evicted_ = false;
  std::vector<std::uint64_t> evicted_;
  std::vector<std::int64_t> owners_;  // who can take the blocks again that a number stands for, by number; 0: nobody
  UncachedFree uncached_;
};

}  // namespace decodesim
