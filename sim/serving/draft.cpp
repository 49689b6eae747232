#include "sim/serving/draft.hpp"

#include <algorithm>

#include "sim/core/check.hpp"

namespace decodesim {

Draft::Draft(ReplicaState& state, PassDecisions& decisions) : state_(state), decisions_(decisions) {}

void Draft::stall(Sequence& member) {
  check(member.state == SequenceState::decoding, "only who decodes can be left out");
  state_.cohort.leave(member);
  member.state = SequenceState::stalled;
  member.waits_since = state_.now;
}

void Draft::resume(Sequence& stalled) {
  check(stalled.state == SequenceState::stalled, "only who was left out comes back");
  waited(stalled);
  state_.cohort.join(stalled);
}

void Draft::serve(Sequence& sequence, std::int64_t tokens) {
  const bool outside = sequence.state == SequenceState::prefilling || sequence.state == SequenceState::stalled;
  check(outside && tokens > 0 && sequence.cached + tokens <= sequence.known(),
        "a sequence outside the cohort is given some of its known tokens");
  if (sequence.state == SequenceState::stalled) waited(sequence);
  decisions_.chunks.push_back({&sequence, tokens});
}

// Its waiting is over.
void Draft::waited(Sequence& sequence) {
  sequence.waited += state_.now - sequence.waits_since;
  sequence.waits_since = state_.now;
}

std::int64_t Draft::take_back(Sequence& sequence) {
  const auto chunk = std::find_if(decisions_.chunks.begin(), decisions_.chunks.end(),
                                  [&](const Chunk& one) { return one.sequence == &sequence; });
  if (chunk == decisions_.chunks.end()) return 0;
  const std::int64_t tokens = chunk->tokens;
  decisions_.chunks.erase(chunk);
  return tokens;
}

// Out of the lists of those that run, with its counts as they are now.
void Draft::leave_running(Sequence& victim) {
  if (victim.state != SequenceState::stalled) victim.waits_since = state_.now;
  if (victim.state == SequenceState::decoding) {
    state_.cohort.leave(victim);
  } else {
    if (victim.state == SequenceState::prefilling) std::erase(state_.prefilling, &victim);
    take_back(victim);
  }
  state_.running.remove(victim);
}

// Gives the memory back and tells of it; both kinds of eviction.
void Draft::book_eviction(Sequence& victim, const Eviction& eviction, KvFate fate) {
  const std::int64_t free_before = state_.memory->free();
  state_.memory->release(victim, Released::evicted);
  state_.cached_tokens -= victim.cached;
  decisions_.preempted.push_back(&victim);
  if (victim.over) return;  // it has all its tokens, so it loses nothing, and ends with this pass
  decisions_.evictions.push_back({.victim = &victim.request,
                                  .requester = eviction.requester != nullptr ? &eviction.requester->request : nullptr,
                                  .reason = eviction.reason,
                                  .fate = fate,
                                  .tokens = victim.cached,
                                  .blocks = state_.memory->free() - free_before,
                                  .free_before = free_before});
  victim.preemptions += 1;
  if (&victim == eviction.requester) victim.self_preemptions += 1;
}

// It is as if the step before had not yielded its token, even where that was its last.
void Draft::withdraw_token(Sequence& victim) {
  victim.over = false;
  victim.generated -= 1;
  state_.cohort.take_back(victim);
  WithdrawnToken lost{.request = &victim.request};
  if (victim.generated > 0) {
    lost.gap = victim.last_token - victim.token_before;
    victim.last_token = victim.token_before;
  } else {
    victim.first_token = victim.last_token = Time{Duration(-1)};
  }
  decisions_.withdrawn.push_back(lost);
}

void Draft::evict(Sequence& victim, const Eviction& eviction) {
  leave_running(victim);
  if (eviction.loses_token) withdraw_token(victim);
  book_eviction(victim, eviction, KvFate::dropped);
  if (victim.over) {
    victim.cached = 0;
    victim.state = SequenceState::waiting;
    return;
  }
  victim.cached_before = std::max(victim.cached_before, victim.cached);
  victim.discarded += victim.cached;
  victim.cached = 0;
  victim.state = SequenceState::waiting;
  const SchedulerSpec& knobs = state_.config.scheduler;
  if (knobs.never_fits == NeverFits::fail_after && victim.self_preemptions >= knobs.fail_after) {
    decisions_.dropped.push_back({&victim, reason_preempted_itself});
    decisions_.gave_up_victim = true;
  } else {
    requeue(victim, eviction.destination);
  }
}

void Draft::requeue(Sequence& victim, Destination destination) {
  switch (destination) {
    case Destination::head:
      return state_.waiting.push_front(victim);
    case Destination::tail:
    case Destination::by_key:
      return state_.waiting.push_back(victim);
    case Destination::same_place:
      return state_.waiting.push_by_arrival(victim);
  }
}

bool Draft::swap_out(Sequence& victim, const Eviction& eviction) {
  check(!victim.over, "who has its last token does not come back from the host");
  const auto blocks = victim.blocks_held();
  if (blocks > state_.host.free()) return false;
  leave_running(victim);
  book_eviction(victim, eviction, KvFate::swapped);
  victim.host_blocks = blocks;
  victim.swapped_out += victim.cached;
  victim.state = SequenceState::swapped;
  state_.host.used += blocks;
  decisions_.blocks_out += blocks;
  decisions_.swaps.push_back({&victim.request, true, blocks});
  const auto later = [](const Sequence* a, const Sequence* b) { return a->arrival < b->arrival; };
  state_.swapped.insert(std::upper_bound(state_.swapped.begin(), state_.swapped.end(), &victim, later), &victim);
  return true;
}

KvFate Draft::displace(Sequence& victim, const Eviction& eviction, KvFate wanted) {
  const SchedulerSpec& knobs = state_.config.scheduler;
  const bool hopeless = knobs.never_fits == NeverFits::fail_after && &victim == eviction.requester &&
                        victim.self_preemptions + 1 >= knobs.fail_after;
  const bool holds_any = !victim.over && (victim.state == SequenceState::decoding || victim.cached > 0);
  if (wanted == KvFate::swapped && holds_any && !hopeless && swap_out(victim, eviction)) return KvFate::swapped;
  evict(victim, eviction);
  return KvFate::dropped;
}

void Draft::swap_in(Sequence& swapped) {
  check(swapped.state == SequenceState::swapped, "only who is on the host comes back from it");
  decisions_.blocks_in += swapped.host_blocks;
  decisions_.swaps.push_back({&swapped.request, false, swapped.host_blocks});
  decisions_.swapped_in.push_back({&swapped, swapped.cached});
  state_.leave_host(swapped);
  enter_running(swapped);
  if (swapped.cached + 1 == swapped.known() && swapped.has_emitted()) {
    state_.cohort.join(swapped);
  } else {
    enter_prefilling(swapped);
  }
}

// Into the running, where it belongs by their order.
void Draft::enter_running(Sequence& sequence) {
  waited(sequence);
  sequence.rank = state_.running_order == RunningOrder::priority_arrival ? sequence.request.priority : 0;
  sequence.order = state_.running_order == RunningOrder::admission ? state_.next_order++ : sequence.arrival;
  state_.cached_tokens += sequence.cached;
  state_.running.insert_by_order(sequence);
  decisions_.entered.push_back(&sequence);
}

void Draft::enter_prefilling(Sequence& sequence) {
  sequence.state = SequenceState::prefilling;
  const auto later = [](const Sequence* a, const Sequence* b) { return stands_before(*a, *b); };
  std::vector<Sequence*>& list = state_.prefilling;
  list.insert(std::upper_bound(list.begin(), list.end(), &sequence, later), &sequence);
}

void Draft::admit(Sequence& waiting, std::int64_t found, std::int64_t tokens) {
  check(found >= 0 && found + tokens <= waiting.known(), "an admitted sequence computes some of its known tokens");
  if (waiting.state == SequenceState::loaded) {
    std::erase(state_.loading, &waiting);
    book_load(waiting, found - waiting.found_on_device);
  } else {
    state_.waiting.admit(waiting);
  }
  waiting.cached = found;
  waiting.generated_at_admission = waiting.generated;
  enter_running(waiting);
  enter_prefilling(waiting);
  if (tokens > 0) decisions_.chunks.push_back({&waiting, tokens});
  if (found > 0) decisions_.found.push_back({&waiting, found});
  // What a victim finds beyond what it had before is new to it, as it is to who comes for the first time.
  const std::int64_t again = std::min(found, waiting.cached_before);
  waiting.found_again += again;
  waiting.found_first += found - again;
  decisions_.found_again += again;
  decisions_.found_first += found - again;
  waiting.admitted = true;
}

void Draft::begin_load(Sequence& waiting, std::int64_t on_device, std::int64_t found, Time ends) {
  state_.waiting.admit(waiting);
  waiting.state = SequenceState::loading;
  waiting.found_on_device = on_device;
  waiting.cached = std::min(found, waiting.known() - 1);
  waiting.load_began = state_.now;
  waiting.load_ends = ends;
  const auto goes_before = [this](const Sequence* a, const Sequence* b) { return state_.waiting.before(*a, *b); };
  std::vector<Sequence*>& list = state_.loading;
  list.insert(state_.waiting.sorted() ? std::upper_bound(list.begin(), list.end(), &waiting, goes_before) : list.end(),
              &waiting);
  decisions_.loads.push_back(&waiting);
}

void Draft::end_load(Sequence& loading) {
  check(loading.state == SequenceState::loading, "only a load that began can end");
  loading.state = SequenceState::loaded;
}

// Told when it is admitted, as all that it finds.
void Draft::book_load(Sequence& loaded, std::int64_t tokens) {
  loaded.loads += 1;
  loaded.loading += loaded.load_ends - loaded.load_began;
  if (loaded.request.remote_tokens > 0) {
    loaded.remote_found += tokens;
    decisions_.remote_found += tokens;
  } else {
    loaded.host_found += tokens;
    decisions_.host_found += tokens;
  }
}

void Draft::load(Sequence& admitted, std::int64_t tokens, std::int64_t blocks) {
  admitted.host_found += tokens;
  decisions_.host_found += tokens;
  decisions_.blocks_loaded += blocks;
}

void Draft::drop(Sequence& sequence, std::string_view reason) {
  if (sequence.state == SequenceState::swapped) {
    state_.leave_host(sequence);
  } else {
    state_.waiting.remove(sequence);
  }
  decisions_.dropped.push_back({&sequence, reason});
}

}  // namespace decodesim
