#include "sim/serving/schedulers/sglang.hpp"

#include <algorithm>

#include "sim/core/check.hpp"

namespace decodesim {

void Sglang::plan(const ReplicaView& view, Draft& draft) {
  const bool was_full = full_;
  const bool had_more = !ghosts_.empty() || last_pass_ != LastPass::none;
  see_who_is_under_way(view);
  merge();
  // Who could never be admitted is given up, and those behind it are tried.
  if (gives_up_ && chunked_ == nullptr && members(view) == 0) full_ = false;
  draft.pause_cohort();
  if (!prefill(view, draft)) decode(view, draft);
  if (had_more || (was_full && !full_)) draft.moved();
}

void Sglang::see_who_is_under_way(const ReplicaView& view) {
  late_.clear();
  if (!async_) return;
  all_under_way_ = last_pass_ == LastPass::decode || (last_pass_ == LastPass::prefill && carried_);
  // Beside the chunked one only who is held for its end still has something to compute.
  for (Sequence* sequence : view.prefilling()) {
    if (sequence != chunked_) late_.push_back(sequence);
  }
}

/// Planned ahead, the first of them looks at the results of the last step, and only the next finds the engine idle.
void Sglang::idled(std::int64_t passes) {
  const bool had_ghosts = !ghosts_.empty();
  ghosts_.clear();
  const bool looks_first = async_ && last_pass_ != LastPass::none;
  if (last_pass_ == LastPass::decode || last_finished_ > 0 || had_ghosts) full_ = false;
  last_pass_ = LastPass::none;
  last_finished_ = 0;
  if (passes > (looks_first ? 1 : 0)) ratio_.reset();
}

/// Prompts that are through come into the tree, in the order of the batch, and so does who ended with its first token.
void Sglang::step_ended(Duration) {
  late_served_ = false;
  if (async_ || last_pass_ != LastPass::prefill) return;
  for (Sequence* sequence : picked_) {
    if (sequence == chunked_) continue;
    if (sequence->generated == sequence->output_tokens) {
      memory_.release(*sequence, Released::finished);
    } else {
      memory_.share(*sequence);
    }
  }
}

/// The same, a pass later, but for whom that pass took back.
void Sglang::results_seen(const ReplicaView&) {
  for (Sequence* sequence : through_) {
    if (!memo(*sequence).under_way) continue;
    memo(*sequence).under_way = false;
    if (std::find(late_.begin(), late_.end(), sequence) != late_.end()) {
      leave(*sequence);
    } else {
      memory_.share(*sequence);
    }
  }
  through_.clear();
  if (last_pass_ != LastPass::prefill) return;
  for (Sequence* sequence : picked_) {
    if (sequence == chunked_) continue;
    through_.push_back(sequence);
    memo(*sequence).under_way = true;
  }
}

/// A request that ended goes into the tree, with the token that it was served beyond its last one.
void Sglang::leave(Sequence& ended) { memory_.leave(ended, ended.cached + (late_served_ ? 1 : 0)); }

/// The last prefill batch joins the running one, and what is computed of the chunked prompt comes into the tree.
void Sglang::merge() {
  if (chunked_ != nullptr) memory_.share(*chunked_);
  if (last_pass_ == LastPass::prefill) {
    const std::int64_t left = last_finished_ + (chunked_ != nullptr ? 1 : 0);
    if (left > 0) full_ = false;
    // The flag belongs to the running batch, and an empty one is replaced.
    if (last_size_ > left && beside_last_ == 0) full_ = false;
  }
  last_pass_ = LastPass::none;
  last_finished_ = 0;
}

std::vector<Sequence*> Sglang::decoding(const ReplicaView& view) const {
  std::vector<Sequence*> batch = late_;
  for (Sequence* one = view.first_admitted(); one != nullptr; one = ReplicaView::admitted_after(*one)) {
    if (one->state == SequenceState::decoding) batch.push_back(one);
  }
  std::sort(batch.begin(), batch.end(),
            [](const Sequence* a, const Sequence* b) { return a->batch_place < b->batch_place; });
  return batch;
}

std::int64_t Sglang::pages_of_step(const ReplicaView& view) const {
  return view.cohort().at_boundary().size() + std::count_if(late_.begin(), late_.end(), [&](const Sequence* one) {
           return one->cached % memory_.page_size() == 0;
         });
}

/// Lets go of the tree what a decode step of all needs, and says whether that was enough.
bool Sglang::next_step_fits(const ReplicaView& view) {
  const std::int64_t pages = pages_of_step(view);
  memory_.make_room(pages * memory_.page_size());
  return pages <= memory_.available();
}

void Sglang::decode(const ReplicaView& view, Draft& draft) {
  const std::int64_t before = members(view);
  ghosts_.clear();
  if (before == 0) return;
  if (decoders(view) == 0) {
    full_ = false;
    return;
  }
  if (!next_step_fits(view)) {
    retract(view, draft);
  } else {
    ratio_.decode_step_fitted();
  }
  if (decoders(view) < before) full_ = false;
  // A prompt that fills the pool has its last token, and no room for one more: it waits for its end to be seen.
  if (!next_step_fits(view)) return;
  memory_.make_room(decoders(view) * memory_.page_size());
  serve_all(view, draft);
  last_pass_ = LastPass::decode;
}

void Sglang::serve_all(const ReplicaView& view, Draft& draft) {
  memory_.take(pages_of_step(view));
  draft.resume_cohort();
  for (Sequence* sequence : late_) draft.serve(*sequence, 1);
  late_served_ = true;
}

/// Takes back requests until the others can go on: the fewest generated tokens first, then the longest prompt, then the
/// one behind in the batch. At least one goes, and one stays.
void Sglang::retract(const ReplicaView& view, Draft& draft) {
  std::vector<Sequence*> batch = decoding(view);
  const bool by_priority = knobs_.retraction_policy == SglangRetraction::priority;
  std::stable_sort(batch.begin(), batch.end(), [&](const Sequence* a, const Sequence* b) {
    if (by_priority && a->request.priority != b->request.priority) return a->request.priority < b->request.priority;
    const std::int64_t more = generated(view, *a) - generated(view, *b);
    return more != 0 ? more > 0 : a->request.input_tokens < b->request.input_tokens;
  });
  // With a prompt that is half computed and found no room either, even the last one goes.
  const std::size_t kept = chunked_ != nullptr ? 0 : 1;
  const auto fits = [&] {
    if (!next_step_fits(view)) return false;
    if (knobs_.retract_target == SglangRetractTarget::next_step) return true;
    const auto remaining = static_cast<std::int64_t>(batch.size());
    return remaining * knobs_.retract_decode_steps <= memory_.available() * memory_.page_size();
  };
  do {
    if (batch.size() <= kept) break;
    Sequence& victim = *batch.back();
    batch.pop_back();
    take_back(draft, victim, nullptr, EvictionReason::retraction);
    memory_.make_room(static_cast<std::int64_t>(batch.size()) * knobs_.retract_decode_steps);
  } while (!fits());
  check(next_step_fits(view) || !late_.empty(), "the last request of a batch fits the pool alone");

  std::int64_t known = 0;
  std::int64_t limits = 0;
  for (Sequence* sequence : batch) {
    sequence->batch_place = ++back_rank_;
    known += generated(view, *sequence);
    limits += limit_of(sequence->request);
  }
  ratio_.retracted(known, limits, static_cast<std::int64_t>(batch.size()));
}

void Sglang::take_back(Draft& draft, Sequence& victim, const Sequence* requester, EvictionReason reason) {
  draft.evict(
      victim,
      {.requester = requester, .reason = reason, .destination = Destination::tail, .loses_token = under_way(victim)});
  std::erase(late_, &victim);
  memo(victim).found = 0;
  memo(victim).under_way = false;
}

void Sglang::ended(Sequence& sequence) {
  // Planned ahead, only who was carried along is of the batch of prompts; else it stands in the running one.
  const bool of_last_prefill = last_pass_ == LastPass::prefill && (!async_ || carried_);
  if (async_) leave(sequence);
  if (of_last_prefill) {
    ++last_finished_;
    return;
  }
  ghosts_.push_back(member(sequence, sequence.generated));
}

/// Who runs stays in its batch as one that ended does, until the engine looks at it; who is beside that, the chunked prompt
/// of an earlier batch, is in none.
void Sglang::left(Sequence& sequence) {
  if (sequence.state == SequenceState::waiting) return;
  std::erase(through_, &sequence);
  memo(sequence).under_way = false;
  const bool was_chunked = chunked_ == &sequence;
  if (was_chunked) chunked_ = nullptr;
  const bool of_last_prefill = last_pass_ == LastPass::prefill &&
                               (carried_ || std::find(picked_.begin(), picked_.end(), &sequence) != picked_.end());
  if (of_last_prefill) {
    ++last_finished_;
  } else if (!was_chunked) {
    ghosts_.push_back(member(sequence, sequence.generated));
  }
}

bool Sglang::fits_alone(const ReplicaView&, const Request& request, std::int64_t output) const {
  const std::int64_t page = memory_.page_size();
  if (memory_.ceil_to_page(request.input_tokens) + page >= memory_.total() * page) return false;
  return output <= std::max<std::int64_t>(1, limit_of(request));
}

void Sglang::describe(EngineFigures& figures) const {
  figures.emplace_back("new_token_ratio", ratio_.value());
  figures.emplace_back("batch_is_full", full_ ? 1 : 0);
  figures.emplace_back("chunked_request", chunked_ != nullptr ? static_cast<double>(chunked_->request.index) : -1);
  figures.emplace_back("available_tokens", static_cast<double>(memory_.available() * memory_.page_size()));
  figures.emplace_back("evictable_tokens", static_cast<double>(memory_.evictable() * memory_.page_size()));
}

EngineParts make_sglang(const ServerConfig& server) {
  auto memory = std::make_unique<PageMemory>(server.usable_blocks, server.block_size,
                                             !server.scheduler.sglang.disable_radix_cache);
  PageMemory& pages = *memory;
  return {.memory = std::move(memory),
          .queue_order = nullptr,
          .scheduler = std::make_unique<Sglang>(server, pages),
          .plans_ahead = server.scheduler.async ? PlansAhead::of_results : PlansAhead::no};
}

}  // namespace decodesim
