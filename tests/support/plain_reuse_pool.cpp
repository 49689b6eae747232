#include "tests/support/plain_reuse_pool.hpp"

#include <algorithm>

namespace decodesim::tests {

namespace {

/// Does `path` begin with all of `beginning`, and go on?
bool stands_behind(const PlainReusePool::Path& path, const PlainReusePool::Path& beginning) {
  return path.first == beginning.first && path.second.size() > beginning.second.size() &&
         std::equal(beginning.second.begin(), beginning.second.end(), path.second.begin());
}

}  // namespace

PlainReusePool::PlainReusePool(const ServerConfig& server)
    : block_size_(server.block_size), total_(server.usable_blocks), knobs_(server.scheduler.trtllm) {
  for (std::int64_t id = 1; id <= total_; ++id) queue_.push_back(static_cast<std::uint32_t>(id));
}

KvSlots PlainReusePool::slots() const { return {total_ * block_size_, (total_ - free()) * block_size_, {}}; }

/// The first `tokens` of a sequence: those of its runs, then its own.
PlainReusePool::Path PlainReusePool::path(const PlainSequence& sequence, std::int64_t tokens) const {
  return {sequence.request->cache_salt, plain_tokens(*sequence.request, tokens)};
}

/// Would a block with this path be lost with `full`? Only behind a full block can others stand.
bool PlainReusePool::is_behind(const Path& path, const Path& full) const {
  return full.second.size() % static_cast<std::size_t>(block_size_) == 0 && stands_behind(path, full);
}

bool PlainReusePool::in_place(std::uint32_t block) const {
  if (held_.count(block) > 0) return false;
  return std::none_of(stored_.begin(), stored_.end(),
                      [&](const auto& other) { return is_behind(other.first, paths_.at(block)); });
}

PlainReusePool::Found PlainReusePool::find(const PlainSequence& sequence) const {
  Found found;
  if (!knobs_.enable_block_reuse || sequence.request->no_prefix_read) return found;
  const std::int64_t most = sequence.known() - 1;
  std::int64_t matched = 0;
  while (matched + block_size_ <= most) {
    const auto full = stored_.find(path(sequence, matched + block_size_));
    if (full == stored_.end()) break;
    found.full.push_back(full->second);
    matched += block_size_;
  }
  const Path before = path(sequence, matched);
  const Path wanted = path(sequence, std::min(matched + block_size_, most));
  for (const auto& [other, block] : stored_) {
    if (!stands_behind(other, before)) continue;
    if (static_cast<std::int64_t>(other.second.size()) > matched + block_size_) continue;
    std::int64_t equal = matched;
    for (const std::size_t shorter = std::min(other.second.size(), wanted.second.size());
         equal < static_cast<std::int64_t>(shorter); ++equal) {
      const auto at = static_cast<std::size_t>(equal);
      if (other.second[at] != wanted.second[at]) break;
    }
    if (equal - matched > found.partial_tokens) {
      found.partial = block;
      found.partial_tokens = equal - matched;
    }
  }
  const bool usable =
      found.partial && knobs_.enable_partial_reuse && (knobs_.copy_on_partial_reuse || in_place(*found.partial));
  if (!usable) {
    found.partial.reset();
    found.partial_tokens = 0;
  }
  return found;
}

std::int64_t PlainReusePool::held(const Found& found) const {
  std::int64_t count = 0;
  for (const std::uint32_t block : found.full) {
    if (held_.count(block) == 0) break;  // those behind it are lost where it is handed out
    ++count;
  }
  return count;
}

std::optional<PlainReusePool::Path> PlainReusePool::first_new(const PlainSequence& sequence) const {
  for (std::int64_t end = block_size_; end <= sequence.known(); end += block_size_) {
    const Path full = path(sequence, end);
    if (stored_.count(full) == 0) return full;
  }
  return std::nullopt;
}

void PlainReusePool::take_found(PlainSequence& sequence, const Found& found) {
  std::vector<std::uint32_t> blocks = found.full;
  if (found.partial && in_place(*found.partial)) {
    forget(*found.partial);
    blocks.push_back(*found.partial);
  }
  for (const std::uint32_t block : blocks) {
    if (held_[block]++ == 0) queue_.erase(std::find(queue_.begin(), queue_.end(), block));
    sequence.blocks.push_back(block);
  }
}

void PlainReusePool::take(PlainSequence& sequence, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint32_t block = queue_.front();
    queue_.pop_front();
    held_[block] = 1;
    sequence.blocks.push_back(block);
  }
  // All are handed out before the first of them forgets what it held.
  for (auto i = static_cast<std::size_t>(count); i > 0; --i) {
    const std::uint32_t block = sequence.blocks[sequence.blocks.size() - i];
    for (const std::uint32_t lost : forget(block)) evicted_ += lost == block || held_.count(lost) == 0 ? 1 : 0;
  }
}

/// Takes a block out of what is stored, with all behind it; returns them.
std::vector<std::uint32_t> PlainReusePool::forget(std::uint32_t block) {
  std::vector<std::uint32_t> lost;
  const auto stored = paths_.find(block);
  if (stored == paths_.end()) return lost;
  const Path path = stored->second;
  for (const auto& [other, id] : stored_) {
    if (other == path || is_behind(other, path)) lost.push_back(id);
  }
  for (const std::uint32_t id : lost) {
    stored_.erase(paths_.at(id));
    paths_.erase(id);
  }
  return lost;
}

void PlainReusePool::store(const PlainSequence& sequence, std::int64_t tokens) {
  if (!knobs_.enable_block_reuse) return;
  for (std::int64_t begin = 0; begin < tokens; begin += block_size_) {
    const Path one = path(sequence, std::min(begin + block_size_, tokens));
    if (stored_.count(one) > 0) continue;
    const std::uint32_t block = sequence.blocks[static_cast<std::size_t>(begin / block_size_)];
    stored_[one] = block;
    paths_[block] = one;
  }
}

void PlainReusePool::release(PlainSequence& sequence) {
  store(sequence, sequence.cached);
  while (!sequence.blocks.empty()) {
    const std::uint32_t block = sequence.blocks.back();
    sequence.blocks.pop_back();
    if (--held_[block] > 0) continue;
    held_.erase(block);
    queue_.push_back(block);
  }
}

MemoryFacts PlainReusePool::memory() const {
  MemoryFacts facts;
  facts.free_queue.assign(queue_.begin(), queue_.end());
  for (const auto& [block, path] : paths_) facts.hashed_blocks.push_back(block);
  return facts;
}

}  // namespace decodesim::tests
