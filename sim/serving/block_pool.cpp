#include "sim/serving/block_pool.hpp"

#include <algorithm>
#include <limits>

#include "sim/core/check.hpp"

namespace decodesim {

BlockPool::BlockPool(std::int64_t blocks, UncachedFree uncached)
    : blocks_(1), total_(blocks), free_(blocks), uncached_(uncached) {
  check(blocks >= 0 && blocks < std::numeric_limits<BlockId>::max(), "a pool has between 0 and 2^32 - 2 blocks");
}

BlockId BlockPool::take_first() {
  if (!at_head_.empty()) {
    const BlockId id = at_head_.back();
    at_head_.pop_back();
    blocks_[id].references = 1;
    return id;
  }
  const auto used_ever = static_cast<std::int64_t>(blocks_.size()) - 1;
  if (used_ever < total_) {
    blocks_.push_back({.previous = 0, .next = 0, .references = 1});
    return static_cast<BlockId>(blocks_.size() - 1);
  }
  const BlockId id = blocks_[0].next;
  unlink(id);
  blocks_[id].references = 1;
  if (hashed_.has(id)) {
    const std::uint64_t hash = hashed_.remove(id);
    if (keeps_evicted_) evicted_.push_back(hash);
    ++hashes_evicted_;
  }
  return id;
}

bool BlockPool::allocate(std::int64_t count, BlockTable& table) {
  if (count > free_) return false;
  if (counts_only_) {
    table.resize(table.size() + static_cast<std::size_t>(count));
    free_ -= count;
    return true;
  }
  for (std::int64_t i = 0; i < count; ++i) table.push_back(take_first());
  free_ -= count;
  return true;
}

void BlockPool::append(BlockId block) {
  const BlockId last = blocks_[0].previous;
  blocks_[block].previous = last;
  blocks_[block].next = 0;
  blocks_[last].next = block;
  blocks_[0].previous = block;
}

void BlockPool::unlink(BlockId block) {
  const Block& links = blocks_[block];
  blocks_[links.previous].next = links.next;
  blocks_[links.next].previous = links.previous;
}

void BlockPool::release(BlockTable& table) {
  if (counts_only_) {
    free_ += static_cast<std::int64_t>(table.size());
    table.clear();
    return;
  }
  const std::size_t came_before = at_head_.size();
  for (std::size_t i = table.size(); i-- > 0;) {
    const BlockId id = table[i];
    Block& block = blocks_[id];
    check(block.references > 0, "a block was released more often than it was taken");
    if (--block.references > 0) continue;
    if (uncached_ == UncachedFree::to_head && !hashed_.has(id)) {
      at_head_.push_back(id);
    } else {
      append(id);
    }
    ++free_;
  }
  // Among those that go to the head, the last block of the table is the first again.
  std::reverse(at_head_.begin() + static_cast<std::ptrdiff_t>(came_before), at_head_.end());
  table.clear();
}

void BlockPool::share(BlockId block, BlockTable& table) {
  if (blocks_[block].references++ == 0) {
    unlink(block);
    --free_;
  }
  table.push_back(block);
}

std::vector<BlockId> BlockPool::free_queue() const {
  std::vector<BlockId> queue(at_head_.rbegin(), at_head_.rend());
  for (auto id = static_cast<std::int64_t>(blocks_.size()); id <= total_; ++id)
    queue.push_back(static_cast<BlockId>(id));
  for (BlockId id = blocks_[0].next; id != 0; id = blocks_[id].next) queue.push_back(id);
  return queue;
}

}  // namespace decodesim
