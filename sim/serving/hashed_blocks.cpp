#include "sim/serving/hashed_blocks.hpp"

#include "sim/core/check.hpp"

namespace decodesim {

BlockId HashedBlocks::find(std::uint64_t hash) const {
  BlockId block = bucket_of(hash);
  while (block != 0 && entries_[block].hash != hash) block = entries_[block].next_hash;
  return block;
}

void HashedBlocks::add(BlockId block, std::uint64_t hash) {
  check(block != 0 && hash != 0 && !has(block), "a block gets its hash once");
  if (entries_.size() <= block) entries_.resize(block + std::size_t{1});
  const BlockId first = find(hash);
  if (first == 0) {
    if (++hashes_ > buckets_.size()) widen();
    BlockId& bucket = bucket_of(hash);
    entries_[block] = {hash, bucket, block, block};
    bucket = block;
    return;
  }
  const BlockId last = entries_[first].previous_same;
  entries_[block] = {hash, 0, last, first};
  entries_[last].next_same = block;
  entries_[first].previous_same = block;
}

std::uint64_t HashedBlocks::remove(BlockId block) {
  check(has(block), "only a block that has a hash loses it");
  Entry& entry = entries_[block];
  BlockId* link = &bucket_of(entry.hash);
  while (*link != 0 && *link != block) link = &entries_[*link].next_hash;
  const bool first = *link == block;
  if (entry.next_same == block) {
    *link = entry.next_hash;
    --hashes_;
  } else {
    entries_[entry.previous_same].next_same = entry.next_same;
    entries_[entry.next_same].previous_same = entry.previous_same;
    if (first) {
      *link = entry.next_same;
      entries_[entry.next_same].next_hash = entry.next_hash;
    }
  }
  const std::uint64_t hash = entry.hash;
  entry = {};
  return hash;
}

std::vector<BlockId> HashedBlocks::all() const {
  std::vector<BlockId> blocks;
  for (std::size_t block = 0; block < entries_.size(); ++block) {
    if (entries_[block].hash != 0) blocks.push_back(static_cast<BlockId>(block));
  }
  return blocks;
}

void HashedBlocks::widen() {
  std::vector<BlockId, HugePages<BlockId>> old(buckets_.size() * 2, 0);
  old.swap(buckets_);
  for (BlockId block : old) {
    while (block != 0) {
      const BlockId next = entries_[block].next_hash;
      BlockId& bucket = bucket_of(entries_[block].hash);
      entries_[block].next_hash = bucket;
      bucket = block;
      block = next;
    }
  }
}

}  // namespace decodesim
