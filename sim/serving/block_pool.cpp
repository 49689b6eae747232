#include "sim/serving/block_pool.hpp"

#include <limits>

#include "sim/core/check.hpp"

namespace decodesim {

BlockPool::BlockPool(std::int64_t blocks) : total_(blocks), free_(blocks) {
  check(blocks >= 0 && blocks < std::numeric_limits<BlockId>::max(), "a pool has between 0 and 2^32 - 2 blocks");
  const auto last = static_cast<BlockId>(blocks);
  blocks_.resize(static_cast<std::size_t>(blocks) + 1);
  for (BlockId id = 0; id <= last; ++id) {
    blocks_[id] = {.previous = id == 0 ? last : id - 1, .next = id == last ? 0 : id + 1, .references = 0};
  }
}

bool BlockPool::allocate(std::int64_t count, BlockTable& table) {
  if (count > free_) return false;
  for (std::int64_t i = 0; i < count; ++i) {
    const BlockId id = blocks_[0].next;
    Block& block = blocks_[id];
    blocks_[0].next = block.next;
    blocks_[block.next].previous = 0;
    block.references = 1;
    table.push_back(id);
  }
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
