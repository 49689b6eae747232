#include "sim/serving/block_pool.hpp"

#include <limits>

#include "sim/core/check.hpp"

namespace decodesim {

BlockPool::BlockPool(std::int64_t blocks) : blocks_(1), total_(blocks), free_(blocks) {
  check(blocks >= 0 && blocks < std::numeric_limits<BlockId>::max(), "a pool has between 0 and 2^32 - 2 blocks");
}

BlockId BlockPool::take_first() {
  const auto used_ever = static_cast<std::int64_t>(blocks_.size()) - 1;
  if (used_ever < total_) {
    blocks_.push_back({.previous = 0, .next = 0, .references = 1});
    return static_cast<BlockId>(blocks_.size() - 1);
  }
  const BlockId id = blocks_[0].next;
  Block& block = blocks_[id];
  blocks_[0].next = block.next;
  blocks_[block.next].previous = 0;
  block.references = 1;
  return id;
}

bool BlockPool::allocate(std::int64_t count, BlockTable& table) {
  if (count > free_) return false;
  for (std::int64_t i = 0; i < count; ++i) table.push_back(take_first());
  free_ -= count;
  return true;
}

void BlockPool::release(BlockTable& table) {
  for (std::size_t i = table.size(); i-- > 0;) {
    const BlockId id = table[i];
    Block& block = blocks_[id];
    check(block.references > 0, "a block was released more often than it was taken");
    if (--block.references > 0) continue;
    const BlockId last = blocks_[0].previous;
    block.previous = last;
    block.next = 0;
    blocks_[last].next = id;
    blocks_[0].previous = id;
    ++free_;
  }
  table.clear();
}

}  // namespace decodesim
