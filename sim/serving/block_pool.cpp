#include "sim/serving/block_pool.hpp"

#include <algorithm>
#include <limits>

#include "sim/core/check.hpp"

namespace decodesim {

BlockPool::BlockPool(std::int64_t blocks, UncachedFree uncached)
    : blocks_(1), total_(blocks), free_(blocks), blank_(blocks), uncached_(uncached) {
  check(blocks >= 0 && blocks < std::numeric_limits<BlockId>::max(), "a pool has between 0 and 2^32 - 2 blocks");
}

BlockId BlockPool::take_first() {
  if (!at_head_.empty()) {
    const BlockId id = at_head_.back();
    at_head_.pop_back();
    return id;
  }
  const auto used_ever = static_cast<std::int64_t>(blocks_.size()) - 1;
  if (used_ever < total_) {
    blocks_.emplace_back();
    return static_cast<BlockId>(blocks_.size() - 1);
  }
  const BlockId id = blocks_[0].next;
  unlink(id);
  if (hashed_.has(id)) lose_hash(id);
  return id;
}

void BlockPool::lose_hash(BlockId block) {
  const std::uint64_t hash = hashed_.remove(block);
  if (keeps_evicted_) evicted_.push_back(hash);
  ++hashes_evicted_;
}

bool BlockPool::allocate(std::int64_t count, BlockTable& table) {
  if (count > free_) return false;
  if (!numbers_seen_) hand_out(count);
  for (std::int64_t i = 0; i < count; ++i) {
    const BlockId id = numbers_seen_ ? take_first() : new_number();
    blocks_[id].references = 1;
    table.push_back(id);
  }
  free_ -= count;
  return true;
}

// The first blocks of the queue leave it, and their numbers with them.
void BlockPool::hand_out(std::int64_t count) {
  const std::int64_t blank = std::min(count, blank_);
  blank_ -= blank;
  for (count -= blank; count > 0;) {
    const BlockId id = blocks_[0].next;
    Block& block = blocks_[id];
    expect(block.next);
    if (block.stands_for == 0) {
      lose_hash(id);
      retire_number(id);
      --count;
      continue;
    }
    const std::int64_t taken = std::min<std::int64_t>(count, block.stands_for);
    block.stands_for -= static_cast<std::uint32_t>(taken);
    hashes_evicted_ += taken;
    count -= taken;
    if (block.stands_for == 0) retire_number(id);
  }
}

void BlockPool::retire_number(BlockId block) {
  unlink(block);
  at_head_.push_back(block);
  if (block < owners_.size()) owners_[block] = 0;
}

BlockId BlockPool::new_number() {
  if (at_head_.empty()) {
    blocks_.emplace_back();
    return static_cast<BlockId>(blocks_.size() - 1);
  }
  const BlockId id = at_head_.back();
  at_head_.pop_back();
  return id;
}

void BlockPool::take(std::int64_t count) {
  hand_out(count);
  free_ -= count;
}

void BlockPool::release(CountedBlocks& counted, std::int64_t owner) {
  free_ += counted.held;
  blank_ += counted.held - counted.hashed;
  counted.queued = 0;
  if (counted.hashed > 0) {
    const BlockId id = new_number();
    blocks_[id].stands_for = static_cast<std::uint32_t>(counted.hashed);
    append(id);
    if (owner != 0) {
      if (id >= owners_.size()) owners_.resize(id + std::size_t{1});
      owners_[id] = owner;
      counted.queued = id;
    }
  }
  counted.held = counted.hashed = 0;
}

std::int64_t BlockPool::takes_again(const CountedBlocks& counted, std::int64_t owner) const {
  const BlockId id = counted.queued;
  return id != 0 && owners_[id] == owner ? blocks_[id].stands_for : 0;
}

void BlockPool::take_again(std::int64_t count, CountedBlocks& counted, std::int64_t owner) {
  check(count <= takes_again(counted, owner), "only blocks that are left can be taken again");
  const BlockId id = std::exchange(counted.queued, 0);
  if (id == 0 || owners_[id] != owner) return;
  owners_[id] = 0;
  blocks_[id].stands_for -= static_cast<std::uint32_t>(count);
  if (blocks_[id].stands_for == 0) retire_number(id);
  free_ -= count;
  counted.held += count;
  counted.hashed += count;
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
  const std::size_t came_before = at_head_.size();
  for (std::size_t i = table.size(); i-- > 0;) {
    const BlockId id = table[i];
    expect(table[i - std::min<std::size_t>(i, 4)]);
    Block& block = blocks_[id];
    check(block.references > 0, "a block was released more often than it was taken");
    if (--block.references > 0) continue;
    ++free_;
    if (uncached_ == UncachedFree::to_tail || hashed_.has(id)) {
      append(id);
    } else {
      at_head_.push_back(id);
      if (!numbers_seen_) ++blank_;
    }
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
