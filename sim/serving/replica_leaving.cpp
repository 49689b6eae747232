// Clients that leave a replica before they are answered.

#include <algorithm>
#include <utility>

#include "sim/serving/leaving.hpp"
#include "sim/serving/replica.hpp"

namespace decodesim {

bool Replica::leave(std::int64_t index, Time now) {
  const auto found = may_leave_.find(index);
  if (found == may_leave_.end()) return false;
  Sequence& sequence = *found->second;
  if (sequence.over) {
    due_.push_back(index);
    return false;
  }
  may_leave_.erase(found);
  const bool computed = busy_ && computes(sequence);
  if (sequence.state == SequenceState::decoding) state_.cohort.leave(sequence);
  if (computed) {
    sequence.left = true;
    leaving_.push_back(&sequence);
  } else {
    let_go(sequence);
  }
  departures_.push_back({&sequence, Outcome::cancelled, leaving_of(sequence.request)->reason});
  watchdog_.progress();
  if (!busy_ && in_system() == 0 && !emptied_) emptied_ = now;
  return true;
}

std::vector<std::int64_t> Replica::take_due() { return std::exchange(due_, {}); }

// Does the step that runs compute tokens of it? Where it does, that was scheduled.
bool Replica::computes(Sequence& sequence) {
  if (sequence.state == SequenceState::decoding && decisions_.decodes) return true;
  if (sequence.state != SequenceState::prefilling && sequence.state != SequenceState::stalled) return false;
  const bool served = std::any_of(decisions_.chunks.begin(), decisions_.chunks.end(),
                                  [&](const Chunk& one) { return one.sequence == &sequence; });
  if (served && sequence.scheduled < Time{}) sequence.scheduled = facts_.start;
  return served;
}

// The step has computed KV of those that left while it ran, and tokens that nobody gets.
void Replica::play_left() {
  if (leaving_.empty()) return;
  for (Sequence* sequence : leaving_) {
    if (sequence->state != SequenceState::decoding) continue;
    sequence->cached += 1;  // drafts are not looked at
    facts_.unclaimed_tokens += 1;
  }
  for (const Chunk& chunk : decisions_.chunks) {
    if (!chunk.sequence->left) continue;
    chunk.sequence->cached += chunk.tokens;
    if (chunk.sequence->cached == chunk.sequence->known()) facts_.unclaimed_tokens += 1;
  }
}

// Out of all lists, and its memory with it. Of the cohort it is no member any more.
void Replica::let_go(Sequence& sequence) {
  scheduler_->left(sequence);
  switch (sequence.state) {
    case SequenceState::waiting:
      return state_.waiting.remove(sequence);
    case SequenceState::swapped:
      return state_.leave_host(sequence);
    case SequenceState::loading:
    case SequenceState::loaded:
      std::erase(state_.loading, &sequence);
      break;
    case SequenceState::prefilling:
      std::erase(state_.prefilling, &sequence);
      [[fallthrough]];
    case SequenceState::decoding:
    case SequenceState::stalled:
    case SequenceState::finishing:
      state_.running.remove(sequence);
      state_.cached_tokens -= sequence.cached;
      break;
  }
  state_.memory->release(sequence, Released::finished);
}

}  // namespace decodesim
