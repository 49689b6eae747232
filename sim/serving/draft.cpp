#include "sim/serving/draft.hpp"

#include <algorithm>

#include "sim/core/check.hpp"

namespace decodesim {

using Running = SequenceList<&Sequence::running>;

Draft::Draft(ReplicaState& state, PassDecisions& decisions) : state_(state), decisions_(decisions) {}

bool Draft::before_edge(const Sequence& sequence) const {
  return state_.edge == nullptr || sequence.order < state_.edge->order;
}

std::int64_t Draft::wanted(const Sequence& prefilling, std::int64_t chunk_max) const {
  const std::int64_t missing = prefilling.known() - prefilling.cached;
  return chunk_max > 0 ? std::min(missing, chunk_max) : missing;
}

std::int64_t Draft::serve_running(std::int64_t budget, std::int64_t chunk_max) {
  std::int64_t used = state_.cohort.size();
  for (const Sequence* sequence : state_.prefilling) {
    if (!before_edge(*sequence)) break;
    used += wanted(*sequence, chunk_max);
  }
  move_edge_back(used, budget, chunk_max);
  const std::int64_t cut_chunk = move_edge_on(used, budget, chunk_max);

  for (Sequence* sequence : state_.prefilling) {
    if (!before_edge(*sequence)) break;
    decisions_.chunks.push_back({sequence, wanted(*sequence, chunk_max)});
  }
  if (cut_chunk > 0) decisions_.chunks.push_back({state_.edge, cut_chunk});
  next_at_boundary_ = state_.cohort.at_boundary().front();
  return budget - used;
}

// Sequences that the budget no longer reaches sit out: the last admitted first.
void Draft::move_edge_back(std::int64_t& used, std::int64_t budget, std::int64_t chunk_max) {
  while (used > budget) {
    Sequence* last = state_.edge != nullptr ? Running::before(*state_.edge) : state_.running.back();
    if (last->state == SequenceState::decoding) {
      state_.cohort.leave(*last);
      last->state = SequenceState::stalled;
      used -= 1;
    } else {
      used -= wanted(*last, chunk_max);
    }
    state_.edge = last;
  }
}

// Sequences that the budget reaches again rejoin. Returns the tokens of the prompt at the edge that only part of the
// budget was left for, or zero.
std::int64_t Draft::move_edge_on(std::int64_t& used, std::int64_t budget, std::int64_t chunk_max) {
  while (state_.edge != nullptr && used < budget) {
    Sequence& next = *state_.edge;
    if (next.state == SequenceState::stalled) {
      state_.cohort.join(next);
      used += 1;
    } else {
      const std::int64_t chunk = wanted(next, chunk_max);
      if (chunk > budget - used) {
        const std::int64_t cut = budget - used;
        used = budget;
        return cut;
      }
      used += chunk;
    }
    state_.edge = Running::after(next);
  }
  return 0;
}

std::int64_t Draft::missing_blocks(const Chunk& chunk) const {
  const Sequence& sequence = *chunk.sequence;
  return state_.blocks_for(sequence.cached + chunk.tokens) - static_cast<std::int64_t>(sequence.blocks.size());
}

Sequence* Draft::allocate_running() {
  for (;;) {
    const bool chunk_left = next_chunk_ < decisions_.chunks.size();
    if (next_at_boundary_ == nullptr && !chunk_left) return nullptr;
    if (!chunk_left || (next_at_boundary_ != nullptr &&
                        next_at_boundary_->order < decisions_.chunks[next_chunk_].sequence->order)) {
      if (!state_.pool.allocate(1, next_at_boundary_->blocks)) return next_at_boundary_;
      next_at_boundary_ = LockStep::BoundaryList::after(*next_at_boundary_);
    } else {
      const Chunk& chunk = decisions_.chunks[next_chunk_];
      if (!state_.pool.allocate(missing_blocks(chunk), chunk.sequence->blocks)) return chunk.sequence;
      ++next_chunk_;
    }
  }
}

void Draft::preempt(Sequence& victim, const Sequence& requester) {
  check(victim.order >= requester.order, "a sequence that has its blocks for this step cannot be preempted");
  if (next_at_boundary_ == &victim) next_at_boundary_ = LockStep::BoundaryList::after(victim);
  if (state_.edge == &victim) state_.edge = Running::after(victim);
  if (victim.state == SequenceState::decoding) {
    state_.cohort.leave(victim);
  } else if (victim.state == SequenceState::prefilling) {
    std::erase(state_.prefilling, &victim);
    std::erase_if(decisions_.chunks, [&](const Chunk& chunk) { return chunk.sequence == &victim; });
  }
  state_.running.remove(victim);
  state_.pool.release(victim.blocks);
  state_.cached_tokens -= victim.cached;

  victim.cached_before = std::max(victim.cached_before, victim.cached);
  victim.cached = 0;
  victim.preemptions += 1;
  if (&victim == &requester) victim.self_preemptions += 1;
  victim.state = SequenceState::waiting;
  state_.waiting.push_front(&victim);
  decisions_.preempted.push_back(&victim);
}

void Draft::admit_head(std::int64_t found, std::int64_t tokens) {
  check(state_.edge == nullptr, "nothing is admitted while a running sequence waits for its turn");
  Sequence& sequence = *state_.waiting.front();
  check(tokens > 0 && found + tokens <= sequence.known(), "an admitted sequence computes some of its known tokens");
  const bool allocated = state_.pool.allocate(state_.blocks_for(found + tokens), sequence.blocks);
  check(allocated, "a sequence was admitted without room for its blocks");
  state_.waiting.pop_front();
  sequence.state = SequenceState::prefilling;
  sequence.order = state_.next_order++;
  sequence.cached = found;
  state_.cached_tokens += found;
  state_.running.push_back(sequence);
  state_.prefilling.push_back(&sequence);
  decisions_.chunks.push_back({&sequence, tokens});
  if (found > 0) decisions_.found.push_back({&sequence, found});
}

}  // namespace decodesim
