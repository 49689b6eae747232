#include "sim/serving/draft.hpp"

#include <algorithm>

#include "sim/core/check.hpp"

namespace decodesim {

Draft::Draft(ReplicaState& state, PassDecisions& decisions) : state_(state), decisions_(decisions) {}

void Draft::stall(Sequence& member) {
  check(member.state == SequenceState::decoding, "only who decodes can be left out");
  state_.cohort.leave(member);
  member.state = SequenceState::stalled;
}

void Draft::resume(Sequence& stalled) {
  check(stalled.state == SequenceState::stalled, "only who was left out comes back");
  state_.cohort.join(stalled);
}

void Draft::serve(Sequence& sequence, std::int64_t tokens) {
  const bool outside = sequence.state == SequenceState::prefilling || sequence.state == SequenceState::stalled;
  check(outside && tokens > 0 && sequence.cached + tokens <= sequence.known(),
        "a sequence outside the cohort is given some of its known tokens");
  decisions_.chunks.push_back({&sequence, tokens});
}

std::int64_t Draft::take_back(Sequence& sequence) {
  const auto chunk = std::find_if(decisions_.chunks.begin(), decisions_.chunks.end(),
                                  [&](const Chunk& one) { return one.sequence == &sequence; });
  if (chunk == decisions_.chunks.end()) return 0;
  const std::int64_t tokens = chunk->tokens;
  decisions_.chunks.erase(chunk);
  return tokens;
}

void Draft::evict(Sequence& victim, const Eviction& eviction) {
  if (victim.state == SequenceState::decoding) {
    state_.cohort.leave(victim);
  } else {
    if (victim.state == SequenceState::prefilling) std::erase(state_.prefilling, &victim);
    take_back(victim);
  }
  state_.running.remove(victim);
  const std::int64_t free_before = state_.memory->free();
  state_.memory->release(victim, Released::evicted);
  state_.cached_tokens -= victim.cached;
  decisions_.preempted.push_back(&victim);
  decisions_.evictions.push_back({.victim = &victim.request,
                                  .requester = eviction.requester != nullptr ? &eviction.requester->request : nullptr,
                                  .reason = eviction.reason,
                                  .fate = KvFate::dropped,
                                  .tokens = victim.cached,
                                  .blocks = state_.memory->free() - free_before,
                                  .free_before = free_before});

  victim.cached_before = std::max(victim.cached_before, victim.cached);
  victim.discarded += victim.cached;
  victim.cached = 0;
  victim.preemptions += 1;
  if (&victim == eviction.requester) victim.self_preemptions += 1;
  victim.state = SequenceState::waiting;
  if (eviction.destination == Destination::head) {
    state_.waiting.push_front(victim);
  } else {
    state_.waiting.push_back(victim);
  }
}

void Draft::admit(Sequence& waiting, std::int64_t found, std::int64_t tokens) {
  check(found >= 0 && found + tokens <= waiting.known(), "an admitted sequence computes some of its known tokens");
  state_.waiting.remove(waiting);
  waiting.state = SequenceState::prefilling;
  waiting.order = state_.next_order++;
  waiting.cached = found;
  state_.cached_tokens += found;
  state_.running.push_back(waiting);
  state_.prefilling.push_back(&waiting);
  if (tokens > 0) decisions_.chunks.push_back({&waiting, tokens});
  if (found > 0) decisions_.found.push_back({&waiting, found});
  (waiting.admitted ? waiting.found_again : waiting.found_first) += found;
  (waiting.admitted ? decisions_.found_again : decisions_.found_first) += found;
  waiting.admitted = true;
}

void Draft::drop(Sequence& waiting) {
  state_.waiting.remove(waiting);
  decisions_.dropped.push_back(&waiting);
}

}  // namespace decodesim
