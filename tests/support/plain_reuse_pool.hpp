#pragma once
// TensorRT-LLM's reusable blocks for the plain stepper: every stored block by all the tokens from the beginning to its end.

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/plain_scheduler.hpp"
#include "tests/support/plain_tokens.hpp"

namespace decodesim::tests {

class PlainReusePool {
 public:
  explicit PlainReusePool(const ServerConfig& server);

  /// The salt, and the tokens up to the end of a block.
  using Path = std::pair<std::string, std::vector<PlainToken>>;
  struct Found {
    std::vector<std::uint32_t> full;
    std::optional<std::uint32_t> partial;
    std::int64_t partial_tokens = 0;
  };

  [[nodiscard]] std::int64_t free() const { return static_cast<std::int64_t>(queue_.size()); }
  [[nodiscard]] KvSlots slots() const;
  [[nodiscard]] std::int64_t blocks_for(std::int64_t tokens) const { return (tokens + block_size_ - 1) / block_size_; }

  /// What a waiting sequence finds of all its known tokens but the last.
  [[nodiscard]] Found find(const PlainSequence& sequence) const;
  [[nodiscard]] std::int64_t tokens_in(const Found& found) const {
    return static_cast<std::int64_t>(found.full.size()) * block_size_ + found.partial_tokens;
  }
  [[nodiscard]] std::int64_t held(const Found& found) const;
  /// The first full block of its known tokens that is not stored.
  [[nodiscard]] std::optional<Path> first_new(const PlainSequence& sequence) const;

  /// Begins an empty table with what was found.
  void take_found(PlainSequence& sequence, const Found& found);
  /// Appends `count` blocks from the head of the queue; what was stored in them is lost, and all that stood behind it.
  void take(PlainSequence& sequence, std::int64_t count);
  /// The blocks of its table that hold its first `tokens` can be found from now on, where no equal ones can be already.
  void store(const PlainSequence& sequence, std::int64_t tokens);
  /// Stores what is cached of it and gives its blocks back, from the last of its table to the first.
  void release(PlainSequence& sequence);

  [[nodiscard]] std::int64_t cached_blocks_evicted() const { return evicted_; }
  [[nodiscard]] MemoryFacts memory() const;

 private:
  [[nodiscard]] Path path(const PlainSequence& sequence, std::int64_t tokens) const;
  [[nodiscard]] bool is_behind(const Path& path, const Path& full) const;
  [[nodiscard]] bool in_place(std::uint32_t block) const;
  std::vector<std::uint32_t> forget(std::uint32_t block);

  std::int64_t block_size_;
  std::int64_t total_;
  TrtllmKnobs knobs_;
  std::deque<std::uint32_t> queue_;             // free blocks, the next to be taken first
  std::map<std::uint32_t, std::int64_t> held_;  // by how many sequences; only blocks that somebody holds
  std::map<Path, std::uint32_t> stored_;
  std::map<std::uint32_t, Path> paths_;  // the same the other way round
  std::int64_t evicted_ = 0;
};

}  // namespace decodesim::tests
