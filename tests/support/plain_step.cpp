// One step of the plain stepper: what it costs, who gets a token by it and who leaves.

#include <algorithm>

#include "sim/core/check.hpp"
#include "tests/support/plain_run.hpp"
#include "tests/support/plain_speculation.hpp"

namespace decodesim::tests {

/// Plays the step that `plan` asks for: from now_ to its end, where now_ is afterwards. True where blocks that waited for the
/// step before became free.
bool PlainRun::step(const PlainPlan& plan) {
  StepFacts facts;
  ScheduleFacts schedule;
  in_flight_ = &plan;
  for (const PlainPlan::Cancelled& cancelled : plan.cancelled) cancelled.sequence->given_up = true;
  facts.number = pass_++;
  facts.start = now_;
  facts.running = static_cast<std::int64_t>(scheduler_->running.size());
  facts.swapped = static_cast<std::int64_t>(scheduler_->swapped.size());
  facts.scheduled = static_cast<std::int64_t>(plan.scheduled.size());
  facts.preempted = static_cast<std::int64_t>(plan.evictions.size());
  facts.free_blocks = scheduler_->free_blocks();
  facts.slots = scheduler_->slots();
  facts.limit = plan.limit;
  scheduler_->describe(schedule.planned);
  facts.schedule = &schedule;
  preemptions_in_vain_ += facts.preempted;

  for (const PlainSequence* sequence : scheduler_->running) facts.cached_tokens += sequence->cached;
  for (const PlainSequence* sequence : plan.preempted) schedule.preempted.push_back(sequence->request);
  std::vector<EvictionFacts> evictions;
  for (const PlainEviction& one : plan.evictions) {
    evictions.push_back({.victim = one.victim->request,
                         .requester = one.requester != nullptr ? one.requester->request : nullptr,
                         .reason = one.reason,
                         .fate = one.fate,
                         .tokens = one.tokens,
                         .blocks = one.blocks,
                         .free_before = one.free_before});
  }
  facts.evictions = evictions;
  facts.withdrawn = plan.withdrawn;
  std::erase_if(over_, [](const PlainSequence* sequence) { return !sequence->over; });
  tokens_ -= static_cast<std::int64_t>(plan.withdrawn.size());
  facts.cached_blocks_evicted = scheduler_->cached_blocks_evicted() - cached_blocks_evicted_;
  cached_blocks_evicted_ += facts.cached_blocks_evicted;
  for (const PlainPlan::Found& found : plan.found) {
    schedule.cached_tokens.push_back({found.sequence->request, found.tokens});
    PlainSequence& sequence = *found.sequence;
    const std::int64_t had_before = std::min(found.tokens, sequence.cached_before_eviction);
    sequence.found_again += had_before;
    facts.found_again_tokens += had_before;
    sequence.found_first += found.tokens - had_before;
    facts.found_tokens += found.tokens - had_before;
  }
  for (const PlainPlan::Grant& grant : plan.scheduled) {
    schedule.scheduled.push_back({grant.sequence->request, grant.tokens + grant.drafts});
    schedule.block_tables.push_back({grant.sequence->request, grant.sequence->blocks});
    if (grant.sequence->scheduled < Time{}) grant.sequence->scheduled = now_;
    grant.sequence->admitted = true;
  }

  // The price. A step that only evicts takes no time, except on a grid.
  for (const PlainPlan::Grant& grant : plan.scheduled) {
    facts.shape.add(grant.cached, grant.tokens, server_.attention_clip);
    facts.shape.add_drafts(grant.cached, grant.drafts);
    const bool yields = grant.sequence->cached == grant.sequence->known() && !grant.sequence->over;
    if (yields) facts.shape.samples += 1;
  }
  const bool grid = server_.grid_step > Duration(0);
  if (grid || !facts.shape.empty()) facts.ledger = server_.cost->price(facts.shape + plan.padding);
  const Duration computing = facts.ledger.duration();
  const std::vector<SwapFacts> swaps = book_transfers(plan, facts);
  facts.swaps = swaps;
  // Transfers come after the computing, or run beside it.
  const auto with_transfers = [&](Duration alone) {
    return server_.host.beside_step ? std::max(alone, facts.transfer_time) : alone + facts.transfer_time;
  };
  const Duration waited = with_transfers(computing) - computing;
  facts.ledger.spend(TimePart::transfers, BoundBy::transfers, waited);
  facts.ledger.hidden_transfers = facts.transfer_time - waited;
  for (const PlainPlan::SwapIn& one : plan.swapped_in) schedule.swapped_in.push_back(one.sequence->request);
  for (const PlainSequence* sequence : scheduler_->loading)
    schedule.held.push_back({sequence->request, sequence->blocks});
  for (const PlainSequence* sequence : plan.loads) schedule.loads_started.push_back(sequence->request);
  facts.end = facts.start + with_transfers(computing);
  check(!grid || facts.ledger.duration() == server_.grid_step, "a pass of the grid lasts a grid step");

  // The price without the tokens that were there before an eviction.
  StepShape without = facts.shape;
  const std::vector<RecomputeFacts> recomputes = book_recomputed(plan, without);
  for (const RecomputeFacts& one : recomputes) facts.recomputed_tokens += one.tokens;
  facts.recomputes = recomputes;
  const std::vector<const Request*> entered = who_entered(plan);
  facts.entered = entered;
  if (facts.recomputed_tokens > 0) {
    Duration shorter{};
    if (grid || !without.empty()) shorter = server_.cost->price(without + plan.padding).duration();
    facts.recompute_time = std::max(Duration(0), with_transfers(computing) - with_transfers(shorter));
  }

  // Where the pass was planned ahead, the ends of the step before are applied only now.
  const bool freed = scheduler_->retire();
  scheduler_->results_seen();
  release_those_over();
  for (const PlainSequence* sequence : tell_those_over()) schedule.finished.push_back(sequence->request);
  for (const PlainSequence* sequence : scheduler_->queue()) schedule.waiting.push_back(sequence->request);
  facts.waiting = static_cast<std::int64_t>(schedule.waiting.size());
  change_at(now_);

  // While the step runs others leave and arrive; nothing is done about it before its end.
  step_end_ = facts.end;
  recompute_ahead_ = facts.recompute_time;
  change_before(facts.end);
  recompute_time_ += facts.recompute_time;
  recompute_ahead_ = Duration(0);
  now_ = facts.end;
  last_happened_ = now_;

  // Its end: tokens come out, and those with their last token leave in the order of admission.
  const bool speculates = std::any_of(plan.scheduled.begin(), plan.scheduled.end(),
                                      [](const auto& grant) { return grant.drafts > 0 && !grant.sequence->left; });
  if (speculates) ++speculating_steps_;
  std::vector<TokenGap> gaps;
  for (const PlainPlan::Grant& grant : plan.scheduled) {
    PlainSequence& sequence = *grant.sequence;
    if (sequence.cached < sequence.known() || sequence.over) continue;
    if (sequence.left) {
      facts.unclaimed_tokens += 1;
      continue;
    }
    const bool first = sequence.emitted == 0;
    // The KV of drafts that were accepted is there already.
    std::int64_t gained = grant.drafts > 0 ? plain_gain(server_, speculating_steps_) : 1;
    gained = std::min(gained, sequence.output - sequence.emitted);
    sequence.emitted += gained;
    sequence.cached += gained - 1;
    facts.accepted_tokens += gained - 1;
    tokens_ += gained;
    if (tokens_ > most_tokens_) preemptions_in_vain_ = 0;
    most_tokens_ = std::max(most_tokens_, tokens_);
    sequence.token_before = sequence.last_token;
    if (first) {
      sequence.first_token = now_;
      sequence.recompute_at_first_token = recompute_time_;
    } else {
      gaps.push_back({now_ - sequence.last_token, 1});
    }
    sequence.token_before = sequence.last_token;
    sequence.last_token = now_;
    if (sequence.emitted == sequence.output) {
      sequence.over = true;
      over_.push_back(&sequence);
      if (!server_.scheduler.async) schedule.finished.push_back(sequence.request);
    }
  }
  facts.gaps = gaps;
  scheduler_->step_ended(plan, facts.end - facts.start);
  if (!server_.scheduler.async) release_those_over();
  for (PlainSequence* sequence : leaving_) scheduler_->left(*sequence);
  leaving_.clear();
  in_flight_ = nullptr;
  scheduler_->describe(schedule.ended);
  const MemoryFacts memory = scheduler_->memory();
  if (scheduler_->nobody_is_there()) {
    emptied_ = now_;
    scheduler_->retire();
  }
  facts.memory = &memory;
  for (Observer* observer : observers_) observer->step(facts);

  if (!server_.scheduler.async) tell_those_over();
  for (const PlainPlan::Cancelled& cancelled : plan.cancelled) {
    end(*cancelled.sequence, Outcome::cancelled, cancelled.reason, now_);
  }
  change_at(now_);
  return freed;
}

/// Books what the step moves to the host and back, one way after the other, and returns whose blocks were swapped.
std::vector<SwapFacts> PlainRun::book_transfers(const PlainPlan& plan, StepFacts& facts) {
  std::vector<SwapFacts> swaps;
  std::int64_t out = 0;
  std::int64_t in = 0;
  for (const PlainEviction& one : plan.evictions) {
    if (one.fate != KvFate::swapped) continue;
    facts.swapped_out_tokens += one.tokens;
    out += one.blocks;
    swaps.push_back({one.victim->request, true, one.blocks});
  }
  for (const PlainPlan::SwapIn& one : plan.swapped_in) {
    facts.swapped_in_tokens += one.tokens;
    in += one.blocks;
    swaps.push_back({one.sequence->request, false, one.blocks});
  }
  std::int64_t loaded = 0;
  for (const PlainPlan::SwapIn& one : plan.loaded) {
    one.sequence->host_found += one.tokens;
    facts.host_found_tokens += one.tokens;
    loaded += one.blocks;
  }
  for (const PlainPlan::SwapIn& one : plan.loaded_beside) {
    if (one.sequence->request->remote_tokens > 0) {
      one.sequence->remote_found += one.tokens;
      facts.remote_found_tokens += one.tokens;
    } else {
      one.sequence->host_found += one.tokens;
      facts.host_found_tokens += one.tokens;
    }
  }
  facts.swapped_out_bytes = server_.host.bytes(out);
  facts.swapped_in_bytes = server_.host.bytes(in);
  facts.stored_bytes = server_.host.bytes(plan.blocks_stored);
  facts.loaded_bytes = server_.host.bytes(loaded);
  facts.loaded_beside_bytes = server_.host.bytes(plan.blocks_loading);
  facts.transfer_time = server_.host.time(out + plan.blocks_stored) + server_.host.time(in + loaded);
  facts.ledger.of(ByteKind::host_transfer) +=
      facts.swapped_out_bytes + facts.swapped_in_bytes + facts.stored_bytes + facts.loaded_bytes;
  facts.host_tier_blocks = plan.blocks_stored + loaded;
  return swaps;
}

/// Who got their last token in the last step give their memory back, in the order of admission.
void PlainRun::release_those_over() {
  for (PlainSequence* sequence : over_) scheduler_->ended(*sequence);
}

/// They are told, and returned.
std::vector<PlainSequence*> PlainRun::tell_those_over() {
  std::vector<PlainSequence*> gone;
  gone.swap(over_);
  for (PlainSequence* sequence : gone) end(*sequence, Outcome::completed, "", now_);
  return gone;
}

/// Books the tokens of this step that were cached once before an eviction, and takes them out of `without`.
std::vector<RecomputeFacts> PlainRun::book_recomputed(const PlainPlan& plan, StepShape& without) {
  std::vector<RecomputeFacts> list;
  for (const PlainPlan::Grant& grant : plan.scheduled) {
    PlainSequence& sequence = *grant.sequence;
    const std::int64_t known_until = std::min(grant.cached + grant.tokens, sequence.cached_before_eviction);
    const std::int64_t again = std::max<std::int64_t>(0, known_until - grant.cached);
    sequence.recomputed += again;
    if (again > 0) list.push_back({sequence.request, again});
    without.remove(grant.cached, grant.tokens, server_.attention_clip);
    without.add(grant.cached + again, grant.tokens - again, server_.attention_clip);
  }
  return list;
}

/// Who runs and did not before the pass, or was evicted in it.
std::vector<const Request*> PlainRun::who_entered(const PlainPlan& plan) const {
  std::vector<const Request*> list;
  for (const PlainSequence* sequence : scheduler_->running) {
    const bool ran = std::find(ran_before_.begin(), ran_before_.end(), sequence) != ran_before_.end();
    const bool evicted = std::find(plan.preempted.begin(), plan.preempted.end(), sequence) != plan.preempted.end();
    if (!ran || evicted) list.push_back(sequence->request);
  }
  return list;
}

}  // namespace decodesim::tests
