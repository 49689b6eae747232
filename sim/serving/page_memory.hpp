#pragma once
// KV memory in pages that are counted and have no identity, with or without a radix tree over them.

#include <cstdint>
#include <memory>
#include <vector>

#include "sim/core/rounding.hpp"
#include "sim/serving/kv_memory.hpp"
#include "sim/serving/radix_tree.hpp"

namespace decodesim {

/// SGLang's kind of memory, as far as schedules depend on it. How many pages a sequence has follows from the tokens that
/// have KV, so a step of any number of sequences takes what it needs with one subtraction. With a tree the first
/// `shared` tokens of a sequence lie in the tree, locked, and the rest are its own until they are put there too.
/// Always: available + in the tree + sequences' own = total.
class PageMemory : public KvMemory {
 public:
  PageMemory(std::int64_t pages, std::int64_t page_size, bool tree);

  [[nodiscard]] std::int64_t total() const override { return total_; }
  [[nodiscard]] std::int64_t free() const override { return available_ + evictable(); }
  [[nodiscard]] KvSlots slots() const override { return {total_ * page_size_, (total_ - free()) * page_size_, {}}; }
  [[nodiscard]] std::int64_t cached_blocks_evicted() const override { return evicted_; }
  /// Pages that nothing holds, and those of the tree that nobody keeps there.
  [[nodiscard]] std::int64_t available() const { return available_; }
  [[nodiscard]] std::int64_t evictable() const { return tree_ ? tree_->evictable() / page_size_ : 0; }
  [[nodiscard]] std::int64_t page_size() const { return page_size_; }
  [[nodiscard]] std::int64_t pages_for(std::int64_t tokens) const { return ceil_div(tokens, page_size_); }
  [[nodiscard]] std::int64_t ceil_to_page(std::int64_t tokens) const { return pages_for(tokens) * page_size_; }
  [[nodiscard]] RadixTree* tree() { return tree_.get(); }

  /// What of the first `limit` tokens of a sequence is in the tree.
  RadixTree::Match match(const Sequence& sequence, std::int64_t limit);
  /// Makes a sequence the holder of what was found for it, which the caller locked already.
  void hold(const Sequence& sequence, const RadixTree::Match& found);
  /// Lets the least recently touched of the tree go until so many tokens are available, as far as it can.
  void make_room(std::int64_t tokens);
  /// Takes pages that are available.
  void take(std::int64_t pages);
  /// Puts what a sequence has so far into the tree, and locks it there; where others had put the same there meanwhile,
  /// its own is given back.
  void share(const Sequence& sequence);
  /// A finished sequence leaves what it has in the tree.
  void release(Sequence& sequence, Released why) override;
  /// A finished sequence leaves its first `tokens`, which is all that it has.
  void leave(const Sequence& sequence, std::int64_t tokens) { release(sequence, tokens, Released::finished); }

 private:
  struct Hold {
    bool live = false;
    RadixTree::Node* node = nullptr;
    std::int64_t shared = 0;  // tokens
  };
  Hold& hold_of(const Sequence& sequence);
  void release(const Sequence& sequence, std::int64_t tokens, Released why);

  std::int64_t total_;
  std::int64_t available_;
  std::int64_t page_size_;
  std::int64_t evicted_ = 0;
  std::unique_ptr<RadixTree> tree_;
  std::vector<Hold> holds_;  // by slot
};

}  // namespace decodesim
