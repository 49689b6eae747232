#include "sim/serving/reusable_memory.hpp"

#include "sim/core/check.hpp"

namespace decodesim {

BlockTree::Match ReusableMemory::match(const Sequence& waiting) const {
  const bool could_find = shareable_tokens(waiting.request) > 0 || waiting.preemptions > 0;
  if (!knobs_.enable_block_reuse || !could_find || waiting.request.no_prefix_read) return {};
  // The last known token is computed in any case: its logits are what the step is for.
  BlockTree::Match match = tree_.match(waiting.request, waiting.known() - 1);
  const bool usable =
      match.partial != 0 && knobs_.enable_partial_reuse && (knobs_.copy_on_partial_reuse || in_place(match.partial));
  if (!usable) {
    match.partial = 0;
    match.partial_tokens = 0;
  }
  return match;
}

ReusableMemory::Reuse ReusableMemory::look_up(const Sequence& waiting) const {
  const BlockTree::Match found = match(waiting);
  Reuse reuse;
  reuse.full = static_cast<std::int64_t>(found.full.size());
  // One behind a block that nobody holds is lost where that one is handed out, so it does not count.
  for (const BlockId block : found.full) {
    if (pool_.references(block) == 0) break;
    ++reuse.held;
  }
  reuse.tokens = reuse.full * block_size_ + found.partial_tokens;
  return reuse;
}

void ReusableMemory::grow(Sequence& sequence, std::int64_t tokens) {
  const std::size_t before = sequence.blocks.size();
  check(pool_.allocate(missing(sequence, tokens), sequence.blocks), "whom capacity took has room");
  for (std::size_t i = before; i < sequence.blocks.size(); ++i) {
    if (!tree_.has(sequence.blocks[i])) continue;
    ++evicted_;
    for (const BlockId lost : tree_.remove(sequence.blocks[i])) {
      if (lost != sequence.blocks[i] && pool_.references(lost) == 0) ++evicted_;
    }
  }
}

std::int64_t ReusableMemory::start(Sequence& waiting) {
  const BlockTree::Match found = match(waiting);
  for (const BlockId block : found.full) pool_.share(block, waiting.blocks);
  // Part of a block that nobody else needs is continued where it is; else its tokens are copied into a fresh one.
  if (found.partial != 0 && in_place(found.partial)) {
    tree_.remove(found.partial);
    pool_.share(found.partial, waiting.blocks);
  }
  grow(waiting, waiting.known());
  return static_cast<std::int64_t>(found.full.size()) * block_size_ + found.partial_tokens;
}

void ReusableMemory::store_context(const Sequence& sequence) {
  if (!knobs_.enable_block_reuse) return;
  const std::int64_t full = (sequence.cached - 1) / block_size_ * block_size_;
  tree_.store(sequence.request, full, sequence.blocks);
}

void ReusableMemory::release(Sequence& sequence, Released) {
  if (knobs_.enable_block_reuse) tree_.store(sequence.request, sequence.cached, sequence.blocks);
  pool_.release(sequence.blocks);
}

void ReusableMemory::describe(MemoryFacts& facts) const {
  facts.free_queue = pool_.free_queue();
  facts.hashed_blocks = tree_.blocks();
}

}  // namespace decodesim
