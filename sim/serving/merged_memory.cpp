#include "sim/serving/merged_memory.hpp"

#include <algorithm>

namespace decodesim {

MergedMemory::Beginning MergedMemory::beginning_of(Sequence& waiting) const {
  Beginning begins;
  if (!caches_prefixes()) return begins;
  bool in_place = !waiting.request.no_prefix_read;
  std::int64_t found = 0;
  for (std::int64_t i = 0; i < waiting.known() / block_size(); ++i) {
    const BlockId block = pool_.find(hash(waiting, i));
    if (block == 0) break;
    if (pool_.references(block) > 0) ++begins.shared;
    in_place = in_place && is_computed(block);
    if (in_place) ++found;
  }
  begins.found = std::min(found * block_size(), waiting.known() - 1);
  return begins;
}

bool MergedMemory::take_known(Sequence& waiting) {
  const std::int64_t full = caches_prefixes() ? waiting.known() / block_size() : 0;
  if (blocks_for(waiting.known()) - beginning_of(waiting).shared > free()) return false;
  std::int64_t there = 0;
  for (; there < full; ++there) {
    const BlockId block = pool_.find(hash(waiting, there));
    if (block == 0) break;
    pool_.share(block, waiting.blocks);
  }
  const bool grown = grow(waiting, waiting.known());
  for (std::int64_t i = there; i < full; ++i) enter(waiting, i);
  return grown;
}

void MergedMemory::enter(Sequence& sequence, std::int64_t block) {
  const BlockId id = sequence.blocks[static_cast<std::size_t>(block)];
  pool_.register_hash(id, hash(sequence, block));
  if (computed_.size() <= id) computed_.resize(id + std::size_t{1});
  computed_[id] = false;
}

void MergedMemory::fill(Sequence& decoding, std::int64_t cached) {
  const std::int64_t block = cached / block_size();
  const BlockId same = pool_.find(hash(decoding, block));
  if (same == 0) return enter(decoding, block);
  BlockTable own{decoding.blocks.back()};
  decoding.blocks.pop_back();
  pool_.share(same, decoding.blocks);
  pool_.release(own);
}

// Blocks are computed in the order of a table, so those of earlier passes end the walk.
void MergedMemory::computed(const Sequence& sequence, std::int64_t tokens) {
  for (std::int64_t i = tokens / block_size(); i-- > 0;) {
    const BlockId block = sequence.blocks[static_cast<std::size_t>(i)];
    if (is_computed(block)) return;
    computed_[block] = true;
  }
}

void MergedMemory::release(Sequence& sequence, Released why) {
  for (std::size_t i = sequence.blocks.size(); i-- > 0;) {
    const BlockId block = sequence.blocks[i];
    if (!pool_.has_hash(block)) continue;
    if (is_computed(block)) break;
    if (pool_.references(block) == 1) pool_.forget_hash(block);
  }
  PagedMemory::release(sequence, why);
}

}  // namespace decodesim
