#pragma once
// KV memory in blocks of one size, handed out on demand.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sim/core/check.hpp"
#include "sim/serving/block_memory.hpp"
#include "sim/serving/token_string.hpp"

namespace decodesim {

/// What an engine lets its requests find of each other's KV.
struct PrefixCaching {
  bool on = false;
  bool uncached_free_to_front = true;  // a freed block without a hash heads the free queue; else all go to its tail
  // A victim that comes back finds all that is left of the blocks that only it can find: it never filled one beyond its
  // known tokens, and none of them is given back later than the others. Then nobody needs their numbers.
  bool victims_find_all = false;
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
        caching_(caching.on),
        may_count_(!caching.on || (caching.victims_find_all && caching.uncached_free_to_front)) {}

  [[nodiscard]] std::int64_t reclaimable(const Sequence& sequence) const override {
    if (!caching_) return KvMemory::reclaimable(sequence);
    std::int64_t blocks = sequence.counted_blocks.held;
    for (const BlockId block : sequence.blocks)
      blocks += pool_.references(block) == 1 + references_deferred(block) ? 1 : 0;
    return blocks;
  }
  void release(Sequence& sequence, Released why) override {
    const bool waits = why == Released::evicted ? defers_evicted_ : std::exchange(defers_next_finished_, false);
    if (!waits) {
      if (counts_) pool_.release(sequence.counted_blocks, why == Released::evicted ? owner(sequence) : 0);
      return pool_.release(sequence.blocks);
    }
    if (caching_) {
      for (const BlockId block : sequence.blocks) ++references_deferred_[block];
    }
    deferred_.push_back(std::exchange(sequence.blocks, {}));
    deferred_counted_.push_back(std::exchange(sequence.counted_blocks, {}));
  }
  /// Whether the blocks of victims are free at once, or with the next retire().
  void defer_evicted(bool on) { defers_evicted_ = on; }
  /// The blocks of who is released next because it finished are free with the next retire().
  void defer_next_finished() { defers_next_finished_ = true; }
  [[nodiscard]] bool defers() const override { return !deferred_.empty(); }
  bool retire() override {
    const bool any = !deferred_.empty();
    for (CountedBlocks& counted : deferred_counted_) pool_.release(counted);
    for (BlockTable& table : deferred_) pool_.release(table);
    deferred_counted_.clear();
    deferred_.clear();
    references_deferred_.clear();
    return any;
  }
  void numbers_unseen() override {
    if (!may_count_) return;
    counts_ = true;
    pool_.numbers_unseen();
  }
  [[nodiscard]] std::int64_t cached_blocks_evicted() const override { return pool_.hashes_evicted(); }
  void describe(MemoryFacts& facts) const override {
    facts.free_queue = pool_.free_queue();
    facts.hashed_blocks = pool_.hashed();
  }

  /// Makes the table of `sequence` long enough for `tokens` and returns true, or changes nothing and returns false where
  /// too few blocks are free.
  [[nodiscard]] bool grow(Sequence& sequence, std::int64_t tokens) {
    const std::int64_t lacking = missing(sequence, tokens);
    if (!counts_) return pool_.allocate(lacking, sequence.blocks);
    if (lacking > pool_.free()) return false;
    const std::int64_t held = sequence.blocks_held();
    const std::int64_t numbered = std::clamp<std::int64_t>(first_counted_block(sequence) - held, 0, lacking);
    if (numbered > 0 && !pool_.allocate(numbered, sequence.blocks)) return false;
    if (lacking > numbered) take(lacking - numbered, sequence.counted_blocks);
    return true;
  }

  /// Are all blocks counted that hold tokens which a request generates? So it is where nobody sees numbers, until a session
  /// comes whose later turns may find them.
  [[nodiscard]] bool counts_all() const { return counts_ && !any_session_; }
  /// Takes `count` of the blocks that are free for decoding sequences, who are not told yet how many each got.
  void take_for_decoding(std::int64_t count) { pool_.take(count); }
  /// `sequence`, which has `cached` tokens, took the blocks for all that it decoded; it may know of some of them already.
  void count_decoded(Sequence& sequence, std::int64_t cached) {
    if (!counts_ || first_counted_block(sequence) == never) return;
    CountedBlocks& counted = sequence.counted_blocks;
    counted.held = std::max(counted.held, blocks_for(cached) - sequence.first_counted_block);
    if (caching_) register_counted(sequence, floor_div(cached, block_size_) - sequence.first_counted_block);
  }

  /// For a tier below that takes what is lost here, and so looks at every hash.
  void keep_evicted() {
    may_count_ = false;
    pool_.keep_evicted();
  }
  [[nodiscard]] std::vector<std::uint64_t> take_evicted() { return pool_.take_evicted(); }

  [[nodiscard]] bool caches_prefixes() const { return caching_; }
  /// The longest run of full blocks from the beginning of its known tokens that a waiting sequence finds. The last known
  /// token is never found, since its logits are what the step is for. One look a block that is found.
  [[nodiscard]] PrefixHit find_prefix(Sequence& waiting) const {
    PrefixHit hit;
    if (!caching_ || waiting.request.no_prefix_read) return hit;
    const std::int64_t most = floor_div(waiting.known() - 1, block_size_);
    const std::int64_t first_counted = first_counted_block(waiting);
    const auto soon = static_cast<std::size_t>(std::min({most, first_counted, look_ahead}));
    pool_.expect(waiting.chain.first(soon, waiting.request, block_size_));
    for (; hit.blocks < std::min(most, first_counted); ++hit.blocks) {
      const BlockId block = pool_.find(hash(waiting, hit.blocks));
      if (block == 0) return hit;
      if (pool_.references(block) == 0) ++hit.unreferenced;
    }
    const std::int64_t own = std::min(most - hit.blocks, pool_.takes_again(waiting.counted_blocks, owner(waiting)));
    hit.blocks += own;
    hit.unreferenced += own;
    return hit;
  }
  /// Does a waiting sequence find its block `block`, counted from 0, as one of those that find_prefix() counts? Who finds
  /// it finds all before it: a block is taken, given back and lost behind those that it follows in a table. One look.
  [[nodiscard]] bool finds(Sequence& waiting, std::int64_t block) const {
    if (!caching_ || waiting.request.no_prefix_read || block >= floor_div(waiting.known() - 1, block_size_))
      return false;
    const std::int64_t behind_numbered = block - first_counted_block(waiting);
    if (behind_numbered >= 0) return behind_numbered < pool_.takes_again(waiting.counted_blocks, owner(waiting));
    return pool_.find(hash(waiting, block)) != 0;
  }
  /// Begins the empty table of `waiting` with so many blocks that it found just now.
  void take_prefix(Sequence& waiting, std::int64_t blocks) {
    const std::int64_t numbered = std::min(blocks, first_counted_block(waiting));
    for (std::int64_t i = 0; i < numbered; ++i) pool_.share(pool_.find(hash(waiting, i)), waiting.blocks);
    if (counts_) take_again(waiting, blocks - numbered);
  }
  /// The step that is planned computes the tokens `from` to `to` of `sequence`: blocks that this fills can be found by
  /// whoever is admitted from now on.
  void register_full(Sequence& sequence, std::int64_t from, std::int64_t to) {
    if (!caching_) return;
    const std::int64_t first_counted = first_counted_block(sequence);
    const std::int64_t full = floor_div(to, block_size_);
    for (std::int64_t i = floor_div(from, block_size_); i < std::min(full, first_counted); ++i)
      pool_.register_hash(sequence.blocks[static_cast<std::size_t>(i)], hash(sequence, i));
    register_counted(sequence, full - first_counted);
  }
  /// The same of tokens that may fill blocks which can be found already.
  void register_rest(Sequence& sequence, std::int64_t from, std::int64_t to) {
    if (!caching_) return;
    const std::int64_t first_counted = first_counted_block(sequence);
    const std::int64_t full = floor_div(to, block_size_);
    for (std::int64_t i = floor_div(from, block_size_); i < std::min(full, first_counted); ++i) {
      const BlockId block = sequence.blocks[static_cast<std::size_t>(i)];
      if (!pool_.has_hash(block)) pool_.register_hash(block, hash(sequence, i));
    }
    register_counted(sequence, full - first_counted);
  }

 protected:
  [[nodiscard]] std::uint64_t hash(Sequence& sequence, std::int64_t block) const {
    return sequence.chain.at(static_cast<std::size_t>(block), sequence.request, block_size_);
  }

 private:
  static constexpr std::int64_t look_ahead = 32;  // blocks; as many looks as a processor can have under way at once
  static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

  /// Where the blocks of a table begin that are counted: those that hold a token of the request alone. A later turn of its
  /// session may find these too, and then they have numbers.
  [[nodiscard]] std::int64_t first_counted_block(Sequence& sequence) const {
    if (!counts_) return never;
    if (sequence.first_counted_block == Sequence::counting_not_decided) {
      const Request& request = sequence.request;
      any_session_ = any_session_ || (caching_ && !request.session.empty());
      sequence.first_counted_block = !caching_                 ? 0
                                     : request.session.empty() ? floor_div(shareable_tokens(request), block_size_)
                                                               : never;
    }
    return sequence.first_counted_block;
  }
  /// Its name in the pool, of this sequence alone.
  [[nodiscard]] static std::int64_t owner(const Sequence& sequence) { return sequence.arrival + 1; }

  void take(std::int64_t blocks, CountedBlocks& counted) {
    pool_.take(blocks);
    counted.held += blocks;
  }
  /// Takes `blocks` of those that a victim left. It takes all that are left, since nothing that it filled lies beyond its
  /// known tokens, or none.
  void take_again(Sequence& waiting, std::int64_t blocks) {
    const std::int64_t left = pool_.takes_again(waiting.counted_blocks, owner(waiting));
    check(blocks == left || waiting.request.no_prefix_read, "a victim finds all that is left of its own blocks");
    if (left > 0) pool_.take_again(blocks, waiting.counted_blocks, owner(waiting));
  }
  /// Counted blocks are filled in their order, and so are their hashes known.
  static void register_counted(Sequence& sequence, std::int64_t full) {
    sequence.counted_blocks.hashed = std::max(sequence.counted_blocks.hashed, full);
  }

  /// References to a block that go with the next retire(): nobody holds it by them.
  [[nodiscard]] std::uint32_t references_deferred(BlockId block) const {
    const auto found = references_deferred_.find(block);
    return found == references_deferred_.end() ? 0 : found->second;
  }

  bool caching_;
  bool may_count_;
  bool counts_ = false;
  mutable bool any_session_ = false;
  std::vector<BlockTable> deferred_;  // in the order in which they were released
  std::vector<CountedBlocks> deferred_counted_;
  std::unordered_map<BlockId, std::uint32_t> references_deferred_;  // in those, where blocks can be shared
  bool defers_evicted_ = false;
  bool defers_next_finished_ = false;
};

}  // namespace decodesim
