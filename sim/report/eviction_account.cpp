#include "sim/report/eviction_account.hpp"

#include <cstddef>

namespace decodesim {

EvictionAccount& EvictionAccount::operator+=(const EvictionAccount& other) {
  preemptions += other.preemptions;
  for (std::size_t i = 0; i < reasons; ++i) {
    by_reason[i] += other.by_reason[i];
    blocks_by_reason[i] += other.blocks_by_reason[i];
  }
  for (std::size_t i = 0; i < fates; ++i) by_fate[i] += other.by_fate[i];
  of_itself += other.of_itself;
  blocks += other.blocks;
  blocks_for_itself += other.blocks_for_itself;
  blocks_for_nobody += other.blocks_for_nobody;
  free_before += other.free_before;
  discarded_tokens += other.discarded_tokens;
  swapped_out_tokens += other.swapped_out_tokens;
  swapped_out_blocks += other.swapped_out_blocks;
  swapped_in_blocks += other.swapped_in_blocks;
  transfers += other.transfers;
  found_again_tokens += other.found_again_tokens;
  recomputed_tokens += other.recomputed_tokens;
  recompute_time += other.recompute_time;
  away += other.away;
  return *this;
}

void EvictionAccount::add(const EvictionFacts& eviction) {
  const auto reason = static_cast<std::size_t>(eviction.reason);
  ++preemptions;
  ++by_reason[reason];
  ++by_fate[static_cast<std::size_t>(eviction.fate)];
  blocks += eviction.blocks;
  blocks_by_reason[reason] += eviction.blocks;
  free_before += eviction.free_before;
  (eviction.fate == KvFate::swapped ? swapped_out_tokens : discarded_tokens) += eviction.tokens;
  if (eviction.requester == nullptr) {
    blocks_for_nobody += eviction.blocks;
  } else if (eviction.requester->index == eviction.victim->index) {
    ++of_itself;
    blocks_for_itself += eviction.blocks;
  }
}

}  // namespace decodesim
