#pragma once
// KV memory in blocks of one size, handed out on demand.

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sim/serving/block_memory.hpp"

namespace decodesim {

/// What an engine lets its requests find of each other's KV.
struct PrefixCaching {
  bool on = false;
  bool uncached_free_to_front = true;  // a freed block without a hash heads the free queue; else all go to its tail
};

/// The full blocks that a sequence which waits would find.
struct PrefixHit {
  std::int64_t blocks = 0;
  std::int64_t unreferenced = 0;  // those among them that count as free
};

/// Blocks handed out on demand: vLLM's kind of memory, and that of those that followed it.
class PagedMemory : public BlockMemory {
 public:
  PagedMemory(std::int64_t blocks, std::int64_t block_size, PrefixCaching caching = {})
      : BlockMemory(blocks, block_size,
                    caching.on && caching.uncached_free_to_front ? UncachedFree::to_head : UncachedFree::to_tail),
        caching_(caching.on) {}

  [[nodiscard]] std::int64_t reclaimable(const Sequence& sequence) const override {
    if (!caching_) return KvMemory::reclaimable(sequence);
    std::int64_t blocks = 0;
    for (const BlockId block : sequence.blocks)
      blocks += pool_.references(block) == 1 + references_deferred(block) ? 1 : 0;
    return blocks;
  }
  void release(Sequence& sequence, Released why) override {
    const bool waits = why == Released::evicted ? defers_evicted_ : std::exchange(defers_next_finished_, false);
    if (!waits) return pool_.release(sequence.blocks);
    if (caching_) {
      for (const BlockId block : sequence.blocks) ++references_deferred_[block];
    }
    deferred_.push_back(std::exchange(sequence.blocks, {}));
  }
  /// Whether the blocks of victims are free at once, or with the next retire().
  void defer_evicted(bool on) { defers_evicted_ = on; }
  /// The blocks of who is released next because it finished are free with the next retire().
  void defer_next_finished() { defers_next_finished_ = true; }
  [[nodiscard]] bool defers() const override { return !deferred_.empty(); }
  bool retire() override {
    const bool any = !deferred_.empty();
    for (BlockTable& table : deferred_) pool_.release(table);
    deferred_.clear();
    references_deferred_.clear();
    return any;
  }
  void numbers_unseen() override {
    if (!caching_) pool_.count_only();
  }
  [[nodiscard]] std::int64_t cached_blocks_evicted() const override { return pool_.hashes_evicted(); }
  void describe(MemoryFacts& facts) const override {
    facts.free_queue = pool_.free_queue();
    facts.hashed_blocks = pool_.hashed();
  }

  /// Makes the table of `sequence` long enough for `tokens` and returns true, or changes nothing and returns false where
  /// too few blocks are free.
  [[nodiscard]] bool grow(Sequence& sequence, std::int64_t tokens) {
    return pool_.allocate(missing(sequence, tokens), sequence.blocks);
  }

  /// For a tier below that takes what is lost here.
  void keep_evicted() { pool_.keep_evicted(); }
  [[nodiscard]] std::vector<std::uint64_t> take_evicted() { return pool_.take_evicted(); }

  [[nodiscard]] bool caches_prefixes() const { return caching_; }
  /// The longest run of full blocks from the beginning of its known tokens that a waiting sequence finds. The last known
  /// token is never found, since its logits are what the step is for. One look a block that is found.
  [[nodiscard]] PrefixHit find_prefix(Sequence& waiting) const {
    PrefixHit hit;
    if (!caching_ || waiting.request.no_prefix_read) return hit;
    for (const std::int64_t most = (waiting.known() - 1) / block_size_; hit.blocks < most; ++hit.blocks) {
      const BlockId block = pool_.find(hash(waiting, hit.blocks));
      if (block == 0) break;
      if (pool_.references(block) == 0) ++hit.unreferenced;
    }
    return hit;
  }
  /// Does a waiting sequence find its block `block`, counted from 0, as one of those that find_prefix() counts? Who finds
  /// it finds all before it: a block is taken, given back and lost behind those that it follows in a table. One look.
  [[nodiscard]] bool finds(Sequence& waiting, std::int64_t block) const {
    if (!caching_ || waiting.request.no_prefix_read || block >= (waiting.known() - 1) / block_size_) return false;
    return pool_.find(hash(waiting, block)) != 0;
  }
  /// Begins the empty table of `waiting` with so many blocks that it found just now.
  void take_prefix(Sequence& waiting, std::int64_t blocks) {
    for (std::int64_t i = 0; i < blocks; ++i) pool_.share(pool_.find(hash(waiting, i)), waiting.blocks);
  }
  /// The step that is planned computes the tokens `from` to `to` of `sequence`: blocks that this fills can be found by
  /// whoever is admitted from now on.
  void register_full(Sequence& sequence, std::int64_t from, std::int64_t to) {
    if (!caching_) return;
    for (std::int64_t i = from / block_size_; i < to / block_size_; ++i)
      pool_.register_hash(sequence.blocks[static_cast<std::size_t>(i)], hash(sequence, i));
  }
  /// The same of tokens that may fill blocks which can be found already.
  void register_rest(Sequence& sequence, std::int64_t from, std::int64_t to) {
    if (!caching_) return;
    for (std::int64_t i = from / block_size_; i < to / block_size_; ++i) {
      const BlockId block = sequence.blocks[static_cast<std::size_t>(i)];
      if (!pool_.has_hash(block)) pool_.register_hash(block, hash(sequence, i));
    }
  }

 protected:
  [[nodiscard]] std::uint64_t hash(Sequence& sequence, std::int64_t block) const {
    return sequence.chain.at(static_cast<std::size_t>(block), sequence.request, block_size_);
  }

 private:
  /// References to a block that go with the next retire(): nobody holds it by them.
  [[nodiscard]] std::uint32_t references_deferred(BlockId block) const {
    const auto found = references_deferred_.find(block);
    return found == references_deferred_.end() ? 0 : found->second;
  }

  bool caching_;
  std::vector<BlockTable> deferred_;                                // in the order in which they were released
  std::unordered_map<BlockId, std::uint32_t> references_deferred_;  // in those, where blocks can be shared
  bool defers_evicted_ = false;
  bool defers_next_finished_ = false;
};

}  // namespace decodesim
