#pragma once
// Which blocks hold KV that can be found by its hash.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/core/huge_pages.hpp"

namespace decodesim {

/// A block of KV memory, numbered from 1. Number 0 is vLLM's null block: it is never handed out.
using BlockId = std::uint32_t;

/// Hashes to blocks and back. Several blocks may have one hash: they are kept apart, and a look-up gives the one that was
/// added first. Every call takes constant time, whatever number of blocks share a hash.
class HashedBlocks {
 public:
  /// The first block with this hash, or 0.
  [[nodiscard]] BlockId find(std::uint64_t hash) const;
  [[nodiscard]] bool has(BlockId block) const { return block < entries_.size() && entries_[block].hash != 0; }
  /// It will be looked at soon.
  void expect(BlockId block) const {
    if (block < entries_.size()) __builtin_prefetch(&entries_[block]);
  }
  /// This hash will be; and the block that find() looks at first, or 0.
  void expect_hash(std::uint64_t hash) const { __builtin_prefetch(&bucket_of(hash)); }
  [[nodiscard]] BlockId first_in_bucket(std::uint64_t hash) const { return bucket_of(hash); }
  /// A block that has no hash gets this one, which is not 0.
  void add(BlockId block, std::uint64_t hash);
  /// Takes the hash of a block that has one, and returns it.
  std::uint64_t remove(BlockId block);
  /// Every block with a hash, by number. Walks them all.
  [[nodiscard]] std::vector<BlockId> all() const;

 private:
  // A chain of each bucket holds the first block of every hash that falls into it; blocks of one hash form a ring, whose
  // first block is in the chain.
  struct Entry {
    std::uint64_t hash = 0;
    BlockId next_hash = 0;  // in the chain
    BlockId previous_same = 0;
    BlockId next_same = 0;
  };
  [[nodiscard]] BlockId& bucket_of(std::uint64_t hash) { return buckets_[hash & (buckets_.size() - 1)]; }
  [[nodiscard]] const BlockId& bucket_of(std::uint64_t hash) const { return buckets_[hash & (buckets_.size() - 1)]; }
  void widen();

  std::vector<Entry, HugePages<Entry>> entries_;                     // by block
  std::vector<BlockId, HugePages<BlockId>> buckets_ = {0, 0, 0, 0};  // a power of two
  std::size_t hashes_ = 0;                                           // different ones
};

}  // namespace decodesim
