#include "tests/support/plain_merged_pool.hpp"

#include <algorithm>

namespace decodesim::tests {

PlainMergedPool::PlainMergedPool(const ServerConfig& server)
    : block_size_(server.block_size),
      caching_(server.prefix_caching),
      to_front_(server.prefix_caching && server.uncached_free_to_front) {
  for (std::int64_t id = 1; id <= server.usable_blocks; ++id) {
    queue_.push_back(static_cast<std::uint32_t>(id));
    blocks_[static_cast<std::uint32_t>(id)] = {};
  }
}

PlainMergedPool::Key PlainMergedPool::key_of(const PlainSequence& sequence, std::int64_t block) const {
  return {sequence.request->cache_salt, plain_tokens(*sequence.request, (block + 1) * block_size_)};
}

std::int64_t PlainMergedPool::full_blocks(const PlainSequence& sequence) const {
  return caching_ ? sequence.known() / block_size_ : 0;
}

const PlainMergedPool::Block* PlainMergedPool::there(const PlainSequence& sequence, std::int64_t block) const {
  const auto found = by_key_.find(key_of(sequence, block));
  return found == by_key_.end() ? nullptr : &blocks_.at(found->second);
}

std::int64_t PlainMergedPool::shared(const PlainSequence& sequence) const {
  std::int64_t shared = 0;
  for (std::int64_t i = 0; i < full_blocks(sequence); ++i) {
    const Block* block = there(sequence, i);
    if (block != nullptr && block->holders > 0) shared += 1;
  }
  return shared;
}

std::int64_t PlainMergedPool::found(const PlainSequence& sequence) const {
  if (sequence.request->no_prefix_read) return 0;
  std::int64_t tokens = 0;
  for (std::int64_t i = 0; i < full_blocks(sequence); ++i) {
    const Block* block = there(sequence, i);
    if (block == nullptr || !block->computed) break;
    tokens += block_size_;
  }
  return tokens == sequence.known() ? tokens - 1 : tokens;
}

void PlainMergedPool::take_known(PlainSequence& sequence) {
  for (std::int64_t i = 0; i < blocks_for(sequence.known()); ++i) {
    if (i >= full_blocks(sequence)) {
      take(sequence, 1);
      continue;
    }
    const Key key = key_of(sequence, i);
    const auto found = by_key_.find(key);
    if (found != by_key_.end()) {
      hold(sequence, found->second);
    } else {
      take(sequence, 1);
      name(sequence.blocks.back(), key);
    }
  }
}

void PlainMergedPool::hold(PlainSequence& sequence, std::uint32_t id) {
  Block& block = blocks_.at(id);
  if (block.holders == 0) queue_.erase(std::find(queue_.begin(), queue_.end(), id));
  block.holders += 1;
  sequence.blocks.push_back(id);
}

void PlainMergedPool::name(std::uint32_t id, const Key& key) {
  Block& block = blocks_.at(id);
  block.full = true;
  block.key = key;
  by_key_[key] = id;
}

void PlainMergedPool::take(PlainSequence& sequence, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint32_t id = queue_.front();
    queue_.pop_front();
    Block& block = blocks_.at(id);
    if (block.full) {
      by_key_.erase(block.key);
      evicted_ += 1;
    }
    block = {1, false, false, {}};
    sequence.blocks.push_back(id);
  }
}

void PlainMergedPool::write(PlainSequence& sequence, std::int64_t tokens) {
  if (!caching_ || tokens % block_size_ != 0) return;
  const Key key = key_of(sequence, tokens / block_size_ - 1);
  const auto found = by_key_.find(key);
  const std::uint32_t own = sequence.blocks.back();
  if (found == by_key_.end()) return name(own, key);
  sequence.blocks.pop_back();
  hold(sequence, found->second);
  std::vector<std::uint32_t> to_front;
  give_back(own, to_front);
  queue_.insert(queue_.begin(), to_front.begin(), to_front.end());
}

void PlainMergedPool::computed(const PlainSequence& sequence, std::int64_t tokens) {
  if (!caching_) return;
  for (std::int64_t i = 0; i < tokens / block_size_; ++i)
    blocks_.at(sequence.blocks.at(static_cast<std::size_t>(i))).computed = true;
}

void PlainMergedPool::give_back(std::uint32_t id, std::vector<std::uint32_t>& to_front) {
  Block& block = blocks_.at(id);
  block.holders -= 1;
  if (block.holders > 0) return;
  if (block.full && !block.computed) {  // nobody wrote what it was to hold
    by_key_.erase(block.key);
    block.full = false;
  }
  if (to_front_ && !block.full) {
    to_front.push_back(id);
  } else {
    queue_.push_back(id);
  }
}

void PlainMergedPool::release(PlainSequence& sequence) {
  std::vector<std::uint32_t> to_front;
  while (!sequence.blocks.empty()) {
    give_back(sequence.blocks.back(), to_front);
    sequence.blocks.pop_back();
  }
  queue_.insert(queue_.begin(), to_front.begin(), to_front.end());
}

MemoryFacts PlainMergedPool::memory() const {
  MemoryFacts facts;
  facts.free_queue.assign(queue_.begin(), queue_.end());
  for (const auto& [id, block] : blocks_) {
    if (block.full) facts.hashed_blocks.push_back(id);
  }
  return facts;
}

}  // namespace decodesim::tests
