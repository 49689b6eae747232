#include "tests/support/plain_prefix_pool.hpp"

#include <algorithm>

namespace decodesim::tests {

PlainPrefixPool::PlainPrefixPool(const ServerConfig& server)
    : block_size_(server.block_size),
      caching_(server.prefix_caching),
      uncached_to_front_(server.prefix_caching && server.uncached_free_to_front) {
  for (std::int64_t id = 1; id <= server.usable_blocks; ++id) {
    queue_.push_back(static_cast<std::uint32_t>(id));
    blocks_[static_cast<std::uint32_t>(id)] = {};
  }
}

PlainPrefixPool::Key PlainPrefixPool::key_of(const PlainSequence& sequence, std::int64_t block) const {
  return {sequence.request->cache_salt, plain_tokens(*sequence.request, (block + 1) * block_size_)};
}

std::vector<std::uint32_t> PlainPrefixPool::hits(const PlainSequence& sequence) const {
  std::vector<std::uint32_t> hits;
  if (!caching_ || sequence.request->no_prefix_read) return hits;
  for (std::int64_t i = 0; i < (sequence.known() - 1) / block_size_; ++i) {
    const auto found = by_key_.find(key_of(sequence, i));
    if (found == by_key_.end()) break;
    hits.push_back(found->second.front());
  }
  return hits;
}

void PlainPrefixPool::touch(PlainSequence& sequence, const std::vector<std::uint32_t>& hits) {
  for (std::uint32_t id : hits) {
    Block& block = blocks_.at(id);
    if (block.holders == 0) queue_.erase(std::find(queue_.begin(), queue_.end(), id));
    block.holders += 1;
    sequence.blocks.push_back(id);
  }
}

void PlainPrefixPool::take(PlainSequence& sequence, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint32_t id = queue_.front();
    queue_.pop_front();
    Block& block = blocks_.at(id);
    if (block.cached) {
      std::vector<std::uint32_t>& same = by_key_.at(block.key);
      same.erase(std::find(same.begin(), same.end(), id));
      if (same.empty()) by_key_.erase(block.key);
      evicted_ += 1;
      lost_.push_back(block.key);
    }
    block = {1, false, {}};
    sequence.blocks.push_back(id);
  }
}

void PlainPrefixPool::cache_full(const PlainSequence& sequence, std::int64_t tokens) {
  if (!caching_) return;
  for (std::int64_t i = 0; i < tokens / block_size_; ++i) {
    const std::uint32_t id = sequence.blocks.at(static_cast<std::size_t>(i));
    Block& block = blocks_.at(id);
    if (block.cached) continue;
    block.cached = true;
    block.key = key_of(sequence, i);
    by_key_[block.key].push_back(id);
  }
}

void PlainPrefixPool::release(PlainSequence& sequence) {
  std::vector<std::uint32_t> to_front;
  while (!sequence.blocks.empty()) {
    const std::uint32_t id = sequence.blocks.back();
    sequence.blocks.pop_back();
    Block& block = blocks_.at(id);
    block.holders -= 1;
    if (block.holders > 0) continue;
    if (uncached_to_front_ && !block.cached) {
      to_front.push_back(id);
    } else {
      queue_.push_back(id);
    }
  }
  queue_.insert(queue_.begin(), to_front.begin(), to_front.end());
}

MemoryFacts PlainPrefixPool::memory() const {
  MemoryFacts facts;
  facts.free_queue.assign(queue_.begin(), queue_.end());
  for (const auto& [id, block] : blocks_) {
    if (block.cached) facts.hashed_blocks.push_back(id);
  }
  return facts;
}

}  // namespace decodesim::tests
