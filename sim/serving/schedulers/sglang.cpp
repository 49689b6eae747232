#include "sim/serving/schedulers/sglang.hpp"

#include <algorithm>

#include "sim/core/check.hpp"

namespace decodesim {

void Sglang::plan(const ReplicaView& view, Draft& draft) {
  const bool was_full = full_;
  const bool had_more = !ghosts_.empty() || last_pass_ != LastPass::none;
  merge(view);
  // Who could never be admitted is given up, and those behind it are tried.
  if (gives_up_ && chunked_ == nullptr && members(view) == 0) full_ = false;
  draft.pause_cohort();
  if (!prefill(view, draft)) decode(view, draft);
  if (had_more || (was_full && !full_)) draft.moved();
}

void Sglang::idled(std::int64_t) {
  ghosts_.clear();
  if (last_pass_ == LastPass::decode || last_finished_ > 0) full_ = false;
  last_pass_ = LastPass::none;
  last_finished_ = 0;
  ratio_.reset();
}

/// Prompts that are through come into the tree, in the order of the batch, and so does who ended with its first token.
void Sglang::step_ended(const ReplicaView&, Duration) {
  if (last_pass_ != LastPass::prefill) return;
  for (Sequence* sequence : picked_) {
    if (sequence == chunked_) continue;
    if (sequence->generated == sequence->output_tokens) {
      memory_.release(*sequence, Released::finished);
    } else {
      memory_.share(*sequence);
    }
  }
}

/// The last prefill batch joins the running one, and what is computed of the chunked prompt comes into the tree.
void Sglang::merge(const ReplicaView&) {
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

std::vector<Sequence*> Sglang::decoding(const ReplicaView& view) {
  std::vector<Sequence*> batch;
  for (Sequence* one = view.first_admitted(); one != nullptr; one = ReplicaView::admitted_after(*one)) {
    if (one->state == SequenceState::decoding) batch.push_back(one);
  }
  std::sort(batch.begin(), batch.end(),
            [](const Sequence* a, const Sequence* b) { return a->batch_place < b->batch_place; });
  return batch;
}

/// Lets go of the tree what a decode step of all needs, and says whether that was enough.
bool Sglang::next_step_fits(const ReplicaView& view) {
  const std::int64_t pages = view.cohort().at_boundary().size();
  memory_.make_room(pages * memory_.page_size());
  return pages <= memory_.available();
}

void Sglang::decode(const ReplicaView& view, Draft& draft) {
  const std::int64_t before = members(view);
  ghosts_.clear();
  if (before == 0) return;
  if (view.cohort().size() == 0) {
    full_ = false;
    return;
  }
  if (!next_step_fits(view)) {
    retract(view, draft);
  } else {
    ratio_.decode_step_fitted();
  }
  if (view.cohort().size() < before) full_ = false;
  memory_.make_room(view.cohort().size() * memory_.page_size());
  memory_.take(view.cohort().at_boundary().size());
  draft.resume_cohort();
  last_pass_ = LastPass::decode;
}

/// Takes back requests until the others can go on: the fewest generated tokens first, then the longest prompt, then the
/// one behind in the batch. At least one goes, and one stays.
void Sglang::retract(const ReplicaView& view, Draft& draft) {
  std::vector<Sequence*> batch = decoding(view);
  const bool by_priority = knobs_.retraction_policy == SglangRetraction::priority;
  std::stable_sort(batch.begin(), batch.end(), [&](const Sequence* a, const Sequence* b) {
    if (by_priority && a->request.priority != b->request.priority) return a->request.priority < b->request.priority;
    const std::int64_t more = view.generated(*a) - view.generated(*b);
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
    draft.evict(victim, {.requester = nullptr, .reason = EvictionReason::retraction, .destination = Destination::tail});
    memo(victim).found = 0;
    memory_.make_room(static_cast<std::int64_t>(batch.size()) * knobs_.retract_decode_steps);
  } while (!fits());
  check(next_step_fits(view), "the last request of a batch fits the pool alone");

  std::int64_t generated = 0;
  std::int64_t limits = 0;
  for (Sequence* sequence : batch) {
    sequence->batch_place = ++back_rank_;
    generated += view.generated(*sequence);
    limits += limit_of(sequence->request);
  }
  ratio_.retracted(generated, limits, static_cast<std::int64_t>(batch.size()));
}

void Sglang::ended(Sequence& sequence) {
  if (last_pass_ == LastPass::prefill) {
    ++last_finished_;
    return;
  }
  ghosts_.push_back({.rank = sequence.batch_place,
                     .max_tokens = limit_of(sequence.request),
                     .generated = sequence.generated,
                     .known = sequence.known(),
                     .ignore_eos = sequence.request.ignore_eos});
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
  return {.memory = std::move(memory), .queue_order = nullptr, .scheduler = std::make_unique<Sglang>(server, pages)};
}

}  // namespace decodesim
