#include "sim/serving/schedulers/trtllm.hpp"

#include <algorithm>

namespace decodesim {

bool TrtllmScheduler::precedes(const Sequence& a, const Sequence& b) {
  if (a.request.priority != b.request.priority) return a.request.priority < b.request.priority;
  return a.arrival < b.arrival;
}

std::int64_t TrtllmScheduler::generations(const ReplicaView& view) {
  return view.running() - static_cast<std::int64_t>(view.prefilling().size());
}

TrtllmScheduler::TrtllmScheduler(const ServerConfig& server, ReusableMemory& memory, bool puts_off)
    : max_num_requests_(server.scheduler.max_num_seqs), memory_(memory), puts_off_(puts_off && memory.reuses()) {
  const SchedulerSpec& knobs = server.scheduler;
  limits_.max_batch_size = knobs.trtllm.max_batch_size.value_or(knobs.max_num_seqs);
  limits_.max_num_tokens = knobs.trtllm.max_num_tokens.value_or(knobs.max_num_batched_tokens);
  limits_.policy = knobs.trtllm.context_chunking_policy;
  limits_.chunk_unit = knobs.trtllm.chunk_unit.value_or(server.block_size);
  limits_.max_context_length = knobs.trtllm.max_context_length;
  discount_ = knobs.trtllm.microbatch_reuse_discount;
}

void TrtllmScheduler::plan(const ReplicaView& view, Draft& draft) {
  contexts_.clear();
  completed_.clear();
  coming_.clear();
  limit_ = AdmissionLimit::arrivals;
  expect_blocks(view);
  take(view, draft);
  share_tokens(view, draft);
  // Where nothing else stands in the way, who waits was put off.
  if (limit_ == AdmissionLimit::arrivals) limit_ = AdmissionLimit::policy;
  draft.limited_by(view.anyone_waits() || draft.gave_up_any() ? limit_ : AdmissionLimit::arrivals);
}

void TrtllmScheduler::step_ended(Duration) {
  for (const Sequence* sequence : completed_) memory_.store_context(*sequence);
  completed_.clear();
}

void TrtllmScheduler::left(Sequence& sequence) {
  std::erase(stalled_, &sequence);
  ended(sequence);
}

TrtllmScheduler::Context TrtllmScheduler::going_on(Sequence& started) {
  return {.sequence = &started, .remaining = started.known() - started.cached};
}

TrtllmScheduler::Context TrtllmScheduler::newcomer(const ReplicaView& view, Sequence& waiting) {
  const std::int64_t found = view.found_in_place(waiting);
  return {.sequence = &waiting, .starts = true, .found = found, .remaining = waiting.known() - found};
}
/// Blocks that others hold come without any from the free ones; others that it finds are among those.
void TrtllmScheduler::look_up(Context& context) const {
  context.need = memory_.blocks_for(context.sequence->known());
  if (context.found > 0) return;
  const ReusableMemory::Reuse reuse = memory_.look_up(*context.sequence);
  context.need -= reuse.held;
  context.reusable = reuse.full * memory_.block_size();
}

/// Is it better off a pass later? The first block that it would fill is being filled for another prompt.
bool TrtllmScheduler::waits_for_others(const Context& context) const {
  if (coming_.empty() || context.found > 0 || context.sequence->request.no_prefix_read) return false;
  const BlockTree::NewBlock first = memory_.first_new(*context.sequence);
  return first.parent != nullptr && std::find(coming_.begin(), coming_.end(), first) != coming_.end();
}
void TrtllmScheduler::expect(BlockTree::NewBlock block) {
  if (block.parent == nullptr || std::find(coming_.begin(), coming_.end(), block) != coming_.end()) return;
  coming_.push_back(std::move(block));
}
/// Of all prompts between chunks, and of those that the pass has taken so far.
void TrtllmScheduler::expect_blocks(const ReplicaView& view) {
  if (!puts_off_) return;
  for (Sequence* started : view.prefilling()) expect(memory_.first_new(*started));
  for (const Context& taken : contexts_) {
    if (taken.found == 0) expect(memory_.first_new(*taken.sequence));
  }
}
void TrtllmScheduler::take_newcomer(const Context& context) {
  if (puts_off_ && context.found == 0) expect(memory_.first_new(*context.sequence));
  contexts_.push_back(context);
}

bool TrtllmScheduler::taken(CapacityVerdict verdict) {
  if (verdict == CapacityVerdict::no_blocks) limit_ = AdmissionLimit::kv_capacity;
  if (verdict == CapacityVerdict::no_place) limit_ = AdmissionLimit::max_num_seqs;
  return verdict == CapacityVerdict::taken;
}

void TrtllmScheduler::share_tokens(const ReplicaView& view, Draft& draft) {
  const std::vector<BatchCandidate> candidates = in_list_order(view);
  const MicroBatch batch = micro_batch(candidates, limits_);
  std::int64_t left_out = generations(view);
  for (const std::int64_t count : batch.advanced) left_out -= count;
  TrtllmScheduler::leave_out(view, draft, left_out);

  std::size_t next_context = 0;
  Sequence* next_boundary = view.cohort().at_boundary().front();
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (!candidates[i].context) continue;
    Context& context = contexts_[next_context++];
    next_boundary = grow_generations(view, next_boundary, context.sequence);
    const std::int64_t tokens = batch.shares[i].computed;
    if (tokens > 0 && compute(view, draft, context, tokens)) continue;
    if (context.starts) {
      limit_ = batch.stop == BatchStop::batch_size ? AdmissionLimit::max_num_seqs : AdmissionLimit::token_budget;
    }
  }
  TrtllmScheduler::grow_generations(view, next_boundary, nullptr);
}

/// What capacity took: the prompts, and the generations before, between and behind them.
std::vector<BatchCandidate> TrtllmScheduler::in_list_order(const ReplicaView& view) {
  std::vector<BatchCandidate> backwards;
  std::int64_t rest = generations(view);
  Sequence* running = view.last_admitted();
  const auto add_generations = [&](std::int64_t count) {
    if (count > 0) backwards.push_back({.context = std::nullopt, .generations = count});
    rest -= count;
  };
  for (std::size_t i = contexts_.size(); i-- > 0;) {
    std::int64_t behind = 0;
    for (; running != nullptr && precedes(*contexts_[i].sequence, *running);
         running = ReplicaView::admitted_before(*running)) {
      if (running->state != SequenceState::prefilling) ++behind;
    }
    add_generations(behind);
    backwards.push_back({.context = ContextLeft{contexts_[i].remaining, discount_ ? contexts_[i].reusable : 0}});
  }
  add_generations(rest);
  return {backwards.rbegin(), backwards.rend()};
}

/// The last of the generations, so many, get no token in this pass; all others do.
void TrtllmScheduler::leave_out(const ReplicaView& view, Draft& draft, std::int64_t count) {
  std::vector<Sequence*> left_out;
  for (Sequence* running = view.last_admitted(); static_cast<std::int64_t>(left_out.size()) < count;
       running = ReplicaView::admitted_before(*running)) {
    if (running->state == SequenceState::prefilling) continue;
    if (running->state == SequenceState::decoding) draft.stall(*running);
    left_out.push_back(running);
  }
  std::reverse(left_out.begin(), left_out.end());
  for (Sequence* stalled : stalled_) {
    if (left_out.empty() || stands_before(*stalled, *left_out.front())) draft.resume(*stalled);
  }
  stalled_ = std::move(left_out);
}

/// Gives their blocks to the generations from `next` on that stand before `before`; returns the next one.
Sequence* TrtllmScheduler::grow_generations(const ReplicaView& view, Sequence* next, const Sequence* before) {
  for (; next != nullptr && (before == nullptr || precedes(*next, *before));
       next = LockStep::BoundaryList::after(*next)) {
    const std::int64_t missing = memory_.missing(*next, view.cached(*next) + 1);
    memory_.grow(*next, view.cached(*next) + 1);
    grew(*next, missing);
  }
  return next;
}

/// False where it cannot start after all: a prompt must be computed whole, and what it was to reuse was handed out
/// to others in this pass.
bool TrtllmScheduler::compute(const ReplicaView& view, Draft& draft, const Context& context, std::int64_t tokens) {
  Sequence& sequence = *context.sequence;
  if (context.starts) {
    std::int64_t found = context.found > 0 ? context.found : memory_.look_up(sequence).tokens;
    if (limits_.policy == ChunkPolicy::none && sequence.known() - found > tokens) return false;
    // The first chunk takes the blocks of the whole prompt.
    if (context.found > 0) {
      memory_.grow(sequence, sequence.known());
    } else {
      found = memory_.start(sequence);
    }
    tokens = std::min(tokens, sequence.known() - found);
    draft.admit(sequence, found, tokens);
  } else {
    draft.serve(sequence, tokens);
  }
  if (sequence.cached + tokens < sequence.known()) return true;
  completed_.push_back(&sequence);
  will_generate(view, sequence);
  return true;
}

}  // namespace decodesim
