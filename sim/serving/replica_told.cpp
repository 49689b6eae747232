// What a replica tells of itself: its facts, and what waits for what.

#include <algorithm>
#include <map>
#include <string>

#include "sim/serving/replica.hpp"

namespace decodesim {

// Of those who took a place in this pass, who still has it.
void Replica::tell_entered() {
  entered_.clear();
  std::vector<Sequence*>& list = decisions_.entered;
  std::erase_if(list, [](const Sequence* sequence) {
    return sequence->state == SequenceState::waiting || sequence->state == SequenceState::swapped;
  });
  for (auto one = list.begin(); one != list.end(); ++one) {
    // Only who lost its place within the pass can have taken one twice.
    if (decisions_.preempted.empty() || std::find(list.begin(), one, *one) == one) entered_.push_back(&(*one)->request);
  }
  facts_.entered = entered_;
}

RequestFacts Replica::facts_of(const Departure& departure, Time ended) const {
  const Sequence& sequence = *departure.sequence;
  return {.request = &sequence.request,
          .outcome = departure.outcome,
          .reason = departure.reason,
          .output_tokens = sequence.generated,
          .scheduled = sequence.scheduled,
          .first_token = sequence.first_token,
          .ended = ended,
          .preemptions = sequence.preemptions,
          .recomputed_tokens = sequence.recomputed,
          .discarded_tokens = sequence.discarded,
          .swapped_out_tokens = sequence.swapped_out,
          .found_tokens = sequence.found_first,
          .found_again_tokens = sequence.found_again,
          .host_found_tokens = sequence.host_found,
          .remote_found_tokens = sequence.remote_found,
          .loads = sequence.loads,
          .loading = sequence.loading,
          .recompute_to_first_token =
              sequence.has_emitted() ? sequence.recompute_at_first_token - sequence.recompute_at_arrival : Duration{},
          .recompute_to_end = recompute_until(ended) - sequence.recompute_at_arrival};
}

std::string Replica::stuck(bool nothing_planned, bool final) const {
  if (watchdog_.cycling()) {
    return std::to_string(watchdog_.preemptions()) + " preemptions without a single token: " + watchdog_.cycle() +
           ", again and again; the pool has " + std::to_string(state_.memory->total()) + " blocks";
  }
  if (!nothing_planned || !final || next_load()) return {};
  if (!state_.running.empty()) {
    return std::to_string(state_.running.size()) + " sequences run, but none of them can go on, and none of the " +
           std::to_string(state_.waiting.size()) + " that wait can start";
  }
  const Sequence* head = nullptr;
  if (!state_.waiting.empty()) head = &state_.waiting.head();
  if (!state_.loading.empty()) head = state_.loading.front();
  if (!state_.swapped.empty()) head = state_.swapped.front();
  if (head == nullptr) return {};
  // All blocks are free then, and still it is refused.
  const bool alone = state_.loading.empty() && state_.swapped.empty();
  const bool asks_for_more = alone && blocks_for(head->known()) <= state_.memory->total();
  return "nothing runs and nothing can start: " + name_of(head->request) + " needs " +
         std::to_string(blocks_for(head->known())) + " blocks for its " + std::to_string(head->known()) +
         " tokens, the pool has " + std::to_string(state_.memory->total()) +
         (asks_for_more ? ", but the engine asks for more than that before it starts it" : "") + ", and " +
         std::to_string(in_system() - 1) + " more wait behind it" +
         (state_.loading.empty() ? ""
                                 : "; " + std::to_string(state_.loading.size()) + " of them hold what they loaded");
}

// Names who did what, for observers that asked; the one place that walks the batch.
void Replica::describe_schedule() {
  schedule_ = {};
  scheduler_->describe(schedule_.planned);
  std::map<const Sequence*, std::int64_t> chunks;
  for (const Chunk& chunk : decisions_.chunks) chunks[chunk.sequence] = chunk.tokens;
  const std::int64_t each = 1 + state_.config.scheduler.speculative.draft_tokens;  // of those that decode
  std::vector<const Sequence*> batch;
  for (const Sequence* sequence = state_.running.front(); sequence != nullptr;
       sequence = SequenceList<&Sequence::running>::after(*sequence)) {
    batch.push_back(sequence);
  }
  std::sort(batch.begin(), batch.end(), before_in_batch);
  for (const Sequence* sequence : batch) {
    const auto chunk = chunks.find(sequence);
    std::int64_t tokens = decisions_.decodes && sequence->state == SequenceState::decoding ? each : 0;
    if (chunk != chunks.end()) tokens = chunk->second;
    if (tokens == 0) continue;
    schedule_.scheduled.emplace_back(&sequence->request, tokens);
    schedule_.block_tables.emplace_back(&sequence->request, sequence->blocks);
  }
  for (const Sequence* sequence : decisions_.preempted) schedule_.preempted.push_back(&sequence->request);
  describe_waiting();
  for (const Sequence* sequence : state_.loading) schedule_.held.emplace_back(&sequence->request, sequence->blocks);
  for (const Sequence* sequence : decisions_.loads) schedule_.loads_started.push_back(&sequence->request);
  for (const Chunk& one : decisions_.swapped_in) schedule_.swapped_in.push_back(&one.sequence->request);
  for (const auto& [sequence, tokens] : decisions_.found)
    schedule_.cached_tokens.emplace_back(&sequence->request, tokens);
}

// Who loads keeps its place in a sorted queue, and stands before all others in one that is not.
void Replica::describe_waiting() {
  auto loading = state_.loading.begin();
  const auto tell_loading_before = [&](const Sequence* other) {
    for (; loading != state_.loading.end() && (other == nullptr || state_.waiting.comes_first(**loading, *other));
         ++loading) {
      schedule_.waiting.push_back(&(*loading)->request);
    }
  };
  state_.waiting.for_each([&](const Sequence& sequence) {
    tell_loading_before(&sequence);
    schedule_.waiting.push_back(&sequence.request);
  });
  tell_loading_before(nullptr);
}

}  // namespace decodesim
