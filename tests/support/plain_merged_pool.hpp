#pragma once
// The block pool of vLLM V0 with its prefix cache, for the plain stepper: full blocks of the same tokens are one block, and
// are told apart by their tokens instead of by hashes.

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/plain_scheduler.hpp"
#include "tests/support/plain_tokens.hpp"

namespace decodesim::tests {

class PlainMergedPool {
 public:
  explicit PlainMergedPool(const ServerConfig& server);

  [[nodiscard]] std::int64_t free() const { return static_cast<std::int64_t>(queue_.size()); }
  [[nodiscard]] KvSlots slots() const {
    const auto total = static_cast<std::int64_t>(blocks_.size());
    return {total * block_size_, (total - free()) * block_size_, {}};
  }
  [[nodiscard]] std::int64_t blocks_for(std::int64_t tokens) const { return (tokens + block_size_ - 1) / block_size_; }

  /// Of the blocks of its known tokens, those that somebody holds.
  [[nodiscard]] std::int64_t shared(const PlainSequence& sequence) const;
  /// How many of its known tokens are computed already, in full blocks from the first; not the last one.
  [[nodiscard]] std::int64_t found(const PlainSequence& sequence) const;
  /// The blocks of all its known tokens, one by one: the one that is there, or else the next free one.
  void take_known(PlainSequence& sequence);
  /// Appends `count` blocks from the head of the queue; what they held is lost.
  void take(PlainSequence& sequence, std::int64_t count);
  /// Its last block holds its tokens up to `tokens`. If that fills the block, it is the one that all with these tokens have.
  void write(PlainSequence& sequence, std::int64_t tokens);
  /// So many of its tokens have KV, for whoever has the same.
  void computed(const PlainSequence& sequence, std::int64_t tokens);
  /// Gives the blocks of a sequence back, from the last of its table to the first.
  void release(PlainSequence& sequence);

  [[nodiscard]] std::int64_t cached_blocks_evicted() const { return evicted_; }
  [[nodiscard]] MemoryFacts memory() const;

 private:
  /// The salt, and all tokens up to the end of a block.
  using Key = std::pair<std::string, std::vector<PlainToken>>;
  struct Block {
    std::int64_t holders = 0;
    bool full = false;  // and `key` says of what
    bool computed = false;
    Key key;
  };
  [[nodiscard]] Key key_of(const PlainSequence& sequence, std::int64_t block) const;
  [[nodiscard]] std::int64_t full_blocks(const PlainSequence& sequence) const;
  [[nodiscard]] const Block* there(const PlainSequence& sequence, std::int64_t block) const;
  void hold(PlainSequence& sequence, std::uint32_t id);
  void name(std::uint32_t id, const Key& key);
  void give_back(std::uint32_t id, std::vector<std::uint32_t>& to_front);

  std::int64_t block_size_;
  bool caching_;
  bool to_front_;
  std::map<std::uint32_t, Block> blocks_;
  std::deque<std::uint32_t> queue_;  // free blocks, the next to be taken first
  std::map<Key, std::uint32_t> by_key_;
  std::int64_t evicted_ = 0;
};

}  // namespace decodesim::tests
