#pragma once
// The block pool of vLLM with its prefix cache, for the plain stepper: blocks are found by their tokens, not by hashes.

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/plain_scheduler.hpp"
#include "tests/support/plain_tokens.hpp"

namespace decodesim::tests {

class PlainPrefixPool {
 public:
  /// The salt, and all tokens up to the end of a block.
  using Key = std::pair<std::string, std::vector<PlainToken>>;

  explicit PlainPrefixPool(const ServerConfig& server);

  [[nodiscard]] std::int64_t free() const { return static_cast<std::int64_t>(queue_.size()); }
  [[nodiscard]] KvSlots slots() const {
    const auto total = static_cast<std::int64_t>(blocks_.size());
    return {total * block_size_, (total - free()) * block_size_, {}};
  }
  [[nodiscard]] std::int64_t blocks_for(std::int64_t tokens) const { return (tokens + block_size_ - 1) / block_size_; }
  /// The cached blocks that the tokens of a waiting sequence begin with; at least one token is left to compute.
  [[nodiscard]] std::vector<std::uint32_t> hits(const PlainSequence& sequence) const;
  [[nodiscard]] bool is_free(std::uint32_t block) const { return blocks_.at(block).holders == 0; }
  /// Puts blocks that were hit at the beginning of an empty table.
  void touch(PlainSequence& sequence, const std::vector<std::uint32_t>& hits);
  /// Appends `count` blocks from the head of the queue; what they cached is lost.
  void take(PlainSequence& sequence, std::int64_t count);
  /// Blocks of its table that `tokens` tokens fill can be found from now on.
  void cache_full(const PlainSequence& sequence, std::int64_t tokens);
  /// Gives the blocks of a sequence back, from the last of its table to the first.
  void release(PlainSequence& sequence);

  [[nodiscard]] std::int64_t cached_blocks_evicted() const { return evicted_; }
  /// What the blocks held that lost it since this was last asked, in that order.
  [[nodiscard]] std::vector<Key> take_evicted() { return std::exchange(lost_, {}); }
  [[nodiscard]] MemoryFacts memory() const;

 private:
  struct Block {
    std::int64_t holders = 0;
    bool cached = false;
    Key key;
  };
  [[nodiscard]] Key key_of(const PlainSequence& sequence, std::int64_t block) const;

  std::int64_t block_size_;
  bool caching_;
  bool uncached_to_front_;
  std::map<std::uint32_t, Block> blocks_;
  std::deque<std::uint32_t> queue_;                   // free blocks, the next to be taken first
  std::map<Key, std::vector<std::uint32_t>> by_key_;  // in the order in which they were cached
  std::int64_t evicted_ = 0;
  std::vector<Key> lost_;
};

}  // namespace decodesim::tests
