// The batches of prompts that SGLang makes, and who gives up a place for them.

#include <algorithm>

#include "sim/serving/schedulers/sglang.hpp"

namespace decodesim {

bool Sglang::prefill(const ReplicaView& view, Draft& draft) {
  if (knobs_.enable_priority_scheduling) full_ = false;
  if (chunked_ == nullptr) {
    if (!view.anyone_waits()) return false;
    if (full_) {
      draft.limited_by(AdmissionLimit::policy);
      return false;
    }
    if (members(view) >= max_running_ && !knobs_.enable_priority_scheduling) {
      full_ = true;
      draft.limited_by(AdmissionLimit::max_num_seqs);
      return false;
    }
  }
  order_queue(draft);
  open_budget(view, knobs_.enable_mixed_chunk);
  if (chunked_ != nullptr && !continue_chunk(draft)) return false;

  const std::deque<Sequence*>& queue = draft.queue_list();
  for (auto candidates = static_cast<std::int64_t>(queue.size()); candidates > 0; --candidates) {
    Sequence& candidate = *queue.front();
    if (static_cast<std::int64_t>(picked_.size()) >= max_running_ - members(view)) full_ = true;
    if (full_ && (!knobs_.enable_priority_scheduling || !preempt_for(view, draft, candidate))) {
      draft.limited_by(AdmissionLimit::max_num_seqs);
      break;
    }
    memo(candidate).seen = candidate.known();
    const bool plays_completion = candidate.request.ignore_eos && memory_.tree() == nullptr;
    const PrefillStop stop = plays_completion ? add_ignoring_eos(view, draft, candidate) : add(view, draft, candidate);
    if (stop == PrefillStop::no_token) full_ = true;
    if (stop == PrefillStop::no) continue;
    if (!queue.empty()) refused(view, draft, stop);
    break;
  }
  if (picked_.empty()) return false;

  const std::int64_t page = memory_.page_size();
  const std::int64_t edges = page > 1 ? static_cast<std::int64_t>(picked_.size()) * page : 0;
  memory_.make_room(picked_tokens_ + edges);
  memory_.take(picked_pages_);
  if (knobs_.enable_mixed_chunk) memory_.make_room(decoders(view) * page);
  // The real engine runs out of memory where those that are carried along find none. Here they wait.
  const bool mixed = knobs_.enable_mixed_chunk && pages_of_step(view) <= memory_.available();
  last_size_ = static_cast<std::int64_t>(picked_.size());
  carried_ = mixed && members(view) > 0;
  if (carried_) {
    serve_all(view, draft);
    last_size_ += decoders(view);
    ghosts_.clear();
    beside_last_ = 0;
    front_rank_ -= static_cast<std::int64_t>(picked_.size());
    for (std::size_t i = 0; i < picked_.size(); ++i)
      picked_[i]->batch_place = front_rank_ + static_cast<std::int64_t>(i);
  } else {
    beside_last_ = members(view);
    for (Sequence* sequence : picked_) sequence->batch_place = ++back_rank_;
  }
  last_pass_ = LastPass::prefill;
  return true;
}

void Sglang::open_budget(const ReplicaView& view, bool mixed) {
  picked_.clear();
  picked_tokens_ = picked_pages_ = 0;
  completion_ = {};
  const std::int64_t carried = mixed ? members(view) : 0;
  double sum = 0;
  for (const Member& one : running_batch(view)) sum += expected(one.max_tokens, one.generated);
  const std::int64_t room = memory_.free() * memory_.page_size();
  budget_ = PrefillBudget::open(knobs_, memory_.page_size(), room, sum, carried);
}

/// Who decodes, and who ended and is not dropped yet, in the order of the batch.
std::vector<Sglang::Member> Sglang::running_batch(const ReplicaView& view) const {
  std::vector<Member> batch = ghosts_;
  for (const Sequence* one : decoding(view)) batch.push_back(member(*one, generated(view, *one)));
  std::sort(batch.begin(), batch.end(), [](const Member& a, const Member& b) { return a.rank < b.rank; });
  return batch;
}

/// False where there is no memory for any of it, where the real engine ends with an error: here others decode first.
bool Sglang::continue_chunk(Draft& draft) {
  Sequence& sequence = *chunked_;
  const std::int64_t missing = sequence.known() - sequence.cached;
  std::int64_t most = budget_.chunk;
  const auto total = static_cast<std::int64_t>(budget_.total());
  if (std::min(most, total) > 0) most = std::min(most, total);
  const std::int64_t held = memory_.pages_for(sequence.cached);
  most = std::min(most, (held + memory_.free()) * memory_.page_size() - sequence.cached);
  if (most <= 0) return false;
  const std::int64_t tokens = std::min(missing, most);
  const bool last = missing == tokens;
  budget_.charge(tokens, last ? clipped(limit_of(sequence.request)) : 0);
  book(sequence, sequence.cached, tokens);
  draft.serve(sequence, tokens);
  if (last) chunked_ = nullptr;
  return true;
}

PrefillStop Sglang::add(const ReplicaView& view, Draft& draft, Sequence& candidate) {
  RadixTree::Match found;
  if (RadixTree* tree = memory_.tree(); tree != nullptr) {
    found = look_up(candidate, candidate.known() - 1);
    // Locked first: what it was found in is no room for it.
    tree->lock(found.node);
    count_room();
  }
  const std::int64_t extend = candidate.known() - found.tokens;
  const std::int64_t paged = memory_.ceil_to_page(extend);
  const std::int64_t output =
      clipped(std::max<std::int64_t>(0, limit_of(candidate.request) - view.generated(candidate)));
  const bool cut = budget_.chunks && paged > budget_.chunk;
  const std::int64_t tokens = cut ? budget_.chunk / memory_.page_size() * memory_.page_size() : extend;

  PrefillStop stop = PrefillStop::no;
  if (static_cast<double>(extend + output + memory_.page_size()) >= budget_.total()) {
    stop = PrefillStop::no_token;
  } else if (!budget_.chunks && !picked_.empty() && paged >= budget_.input) {
    stop = PrefillStop::other;
  } else if (cut && (tokens <= 0 || chunked_ != nullptr)) {
    stop = PrefillStop::other;
  }
  if (stop != PrefillStop::no) {
    if (memory_.tree() != nullptr) memory_.tree()->unlock(found.node);
    count_room();
    return stop;
  }
  return pick(draft, candidate, found, tokens);
}

PrefillStop Sglang::add_ignoring_eos(const ReplicaView& view, Draft& draft, Sequence& candidate) {
  const auto state = [&](const Member& one) {
    const double share = one.ignore_eos ? 1.0 : ratio_.value();
    return CompletionState{static_cast<double>(one.max_tokens) * share - static_cast<double>(one.generated), one.known};
  };
  const auto state_of = [&](const Sequence& one) { return state(member(one, one.generated)); };
  const std::int64_t extend = candidate.known();
  const std::int64_t paged = memory_.ceil_to_page(extend);
  if (static_cast<double>(paged) > std::min(static_cast<double>(budget_.current()), budget_.total()))
    return PrefillStop::no_token;

  if (completion_.begun()) {
    completion_.add(state_of(candidate));
  } else {
    std::vector<CompletionState> states{state_of(candidate)};
    for (const Member& one : running_batch(view)) states.push_back(state(one));
    for (const Sequence* one : picked_) states.push_back(state_of(*one));
    completion_.begin(states);
  }
  if (!completion_.lasts(budget_.current() - paged)) return PrefillStop::no_token;

  const bool cut = budget_.chunks && extend > budget_.chunk;
  if (cut && (budget_.chunk <= 0 || chunked_ != nullptr)) return PrefillStop::other;
  return pick(draft, candidate, {}, cut ? budget_.chunk : extend);
}

/// Takes a candidate with what it found, and so many tokens more: all that it lacks, or a first chunk.
PrefillStop Sglang::pick(Draft& draft, Sequence& candidate, const RadixTree::Match& found, std::int64_t tokens) {
  const bool cut = found.tokens + tokens < candidate.known();
  if (cut) chunked_ = &candidate;
  budget_.charge(tokens, cut ? 0 : clipped(limit_of(candidate.request)));
  memory_.hold(candidate, found);
  book(candidate, found.tokens, tokens);
  draft.admit(candidate, found.tokens, tokens);
  return budget_.state();
}

/// The batch computes `tokens` more of a prompt that has `cached`.
void Sglang::book(Sequence& sequence, std::int64_t cached, std::int64_t tokens) {
  picked_.push_back(&sequence);
  picked_tokens_ += tokens;
  picked_pages_ += memory_.pages_for(cached + tokens) - memory_.pages_for(cached);
}

/// Why the pass admitted no more. What has ended but still stands in the batch is no lack of memory.
void Sglang::refused(const ReplicaView& view, Draft& draft, PrefillStop why) {
  if (why == PrefillStop::other) return draft.limited_by(AdmissionLimit::token_budget);
  const bool lacks = ghosts_.empty() || decoders(view) > 0;
  draft.limited_by(lacks ? AdmissionLimit::kv_capacity : AdmissionLimit::policy);
}

/// Takes the places of less urgent requests, where what is promised to them is enough for the candidate.
bool Sglang::preempt_for(const ReplicaView& view, Draft& draft, const Sequence& candidate) {
  std::vector<Sequence*> batch = decoding(view);
  std::vector<Preemptible> running;
  for (const Sequence* one : batch) running.push_back({one->request.priority, one->ticket, expected_of(view, *one)});
  const std::int64_t wants = memo(candidate).seen - memo(candidate).found + clipped(limit_of(candidate.request));
  const std::vector<std::size_t> taken =
      places_taken(running, candidate.request.priority, knobs_.priority_scheduling_preemption_threshold,
                   static_cast<double>(wants) - budget_.total());
  if (taken.empty()) return false;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    if (std::find(taken.begin(), taken.end(), i) == taken.end()) continue;
    budget_.total_offset -= running[i].promised;
    take_back(draft, *batch[i], &candidate, EvictionReason::admission);
    memory_.make_room(members(view) * knobs_.retract_decode_steps);
  }
  count_room();
  return true;
}

}  // namespace decodesim
