#include "sim/serving/draft.hpp"

#include <algorithm>

#include "sim/core/check.hpp"

namespace decodesim {

Draft::Draft(ReplicaState& state, PassDecisions& decisions) : state_(state), decisions_(decisions) {}

std::int64_t Draft::serve_running(std::int64_t budget, std::int64_t chunk_max) {
  std::int64_t left = budget - state_.cohort.size();
  for (Sequence* sequence : state_.prefilling) {
    const std::int64_t missing = sequence->known() - sequence->cached;
    const std::int64_t wanted = chunk_max > 0 ? std::min(missing, chunk_max) : missing;
    const std::int64_t tokens = std::min(wanted, left);
    check(tokens == wanted || (tokens > 0 && sequence == state_.running.back()),
          "the token budget ends before the last running sequence");
    decisions_.chunks.push_back({sequence, tokens});
    left -= tokens;
  }
  check(left >= 0, "more sequences decode than the token budget allows");
  next_at_boundary_ = state_.cohort.at_boundary().front();
  return left;
}

std::int64_t Draft::missing_blocks(const Chunk& chunk) const {
  const Sequence& sequence = *chunk.sequence;
  return state_.blocks_for(sequence.cached + chunk.tokens) - static_cast<std::int64_t>(sequence.blocks.size());
}

Sequence* Draft::allocate_running() {
  for (;;) {
    const bool chunk_left = next_chunk_ < decisions_.chunks.size();
    if (next_at_boundary_ == nullptr && !chunk_left) return nullptr;
    if (!chunk_left ||
        (next_at_boundary_ != nullptr && next_at_boundary_->order < decisions_.chunks[next_chunk_].sequence->order)) {
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
  if (victim.state == SequenceState::decoding) {
    state_.cohort.leave(victim);
  } else {
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
