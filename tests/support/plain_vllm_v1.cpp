// One pass of the vLLM V1 scheduler over plain queues: those that run.

#include "tests/support/plain_vllm_v1.hpp"

namespace decodesim::tests {

PlainPlan PlainVllmV1::plan() {
  PlainPlan plan;
  budget_ = server_.scheduler.max_num_batched_tokens;
  head_refused_for_blocks_ = false;
  whole_.clear();
  served_.clear();
  tier_.begin_pass();
  known_until_ = server_.scheduler.async ? last_pass_ : now;
  last_pass_ = now;
  for (const PlainSequence* r : loading) {
    if (r->load_ends > known_until_ && r->load_ends <= now) plan.moved = true;  // the next pass knows of it
  }
  for (PlainSequence* r : running) {
    if (left_out_.count(r) > 0) r->waited += now - r->waits_since;
    r->waits_since = now;
  }

  extend_running(plan);
  if (plan.preempted.empty() || server_.scheduler.policies.after_eviction == "admit") {
    swap_in(plan);
    if (swapped.empty()) admit_waiting(plan);
  } else {
    plan.limit = AdmissionLimit::kv_capacity;
  }
  if (server_.scheduler.never_fits == NeverFits::fail_after) give_up(plan);
  cache_late();
  tier_.evicted(pool_.take_evicted());
  plan.blocks_stored = tier_.blocks_stored();

  left_out_.clear();
  token_in_flight_.clear();
  for (PlainSequence* r : running) {
    if (decoding_.count(r) > 0) left_out_.insert(r);
  }
  for (const PlainPlan::Grant& grant : plan.scheduled) {
    left_out_.erase(grant.sequence);
    grant.sequence->cached += grant.tokens;
    if (grant.sequence->cached == grant.sequence->known()) decoding_.insert(grant.sequence);
    served_.insert(grant.sequence);
    if (grant.sequence->cached == grant.sequence->known()) token_in_flight_.insert(grant.sequence);
  }
  step_in_flight_ = !plan.scheduled.empty();
  return plan;
}

/// Planned ahead, the newest token is not known when it is scheduled, nor the one before it computed: blocks are cached as
/// the output comes back, after the next pass has been planned.
void PlainVllmV1::cache_late() {
  for (const auto& [sequence, tokens] : filled_before_) pool_.cache_full(*sequence, tokens);
  filled_before_ = filled_;
  filled_.clear();
}

void PlainVllmV1::forget_filled(const PlainSequence* sequence) {
  const auto of_it = [&](const auto& one) { return one.first == sequence; };
  std::erase_if(filled_, of_it);
  std::erase_if(filled_before_, of_it);
}

/// Phase R: running sequences first, in the order of admission.
void PlainVllmV1::extend_running(PlainPlan& plan) {
  const SchedulerSpec& knobs = server_.scheduler;
  std::size_t i = 0;
  while (i < running.size() && budget_ > 0) {
    PlainSequence* r = running[i];
    // Planned ahead: it is certain to have all its tokens, though its end has not been seen yet.
    if (r->emitted == r->allowed) {
      ++i;
      continue;
    }
    std::int64_t n = r->known() - r->cached;
    const std::int64_t drafts = decoding_.count(r) > 0 ? knobs.speculative.draft_tokens : 0;
    if (1 + drafts >
        budget_) {  // it decodes with all its drafts or not at all, and nobody behind it takes what is left
      budget_ = 0;
      break;
    }
    if (knobs.long_prefill_token_threshold > 0) n = std::min(n, knobs.long_prefill_token_threshold);
    n = std::min(n, budget_);
    n = std::min(n, server_.max_model_len - 1 - r->cached);
    if (n == 0) {
      ++i;
      continue;
    }

    const std::int64_t slots = drafts > 0 ? plain_slots(server_, r->cached) : r->cached + n;
    const std::int64_t need = pool_.blocks_for(slots) - static_cast<std::int64_t>(r->blocks.size());
    while (need > pool_.free()) {
      const std::size_t v = choose_plain_victim(victim_, running, loading);
      PlainSequence* victim = running[v];
      running.erase(running.begin() + static_cast<std::ptrdiff_t>(v));
      if (v < i) --i;
      take_back(plan, victim);
      preempt(plan, victim, r, r->cached + 1 == r->known() ? EvictionReason::decode : EvictionReason::prefill);
      if (victim == r) return;
    }

    pool_.take(*r, need);
    // What its last token filled has been known by now.
    for (const auto& [sequence, tokens] : filled_before_) {
      if (sequence == r) pool_.cache_full(*r, tokens);
    }
    std::erase_if(filled_before_, [&](const auto& one) { return one.first == r; });
    if (knobs.async && r->emitted > emitted_at_admission_[r]) {
      filled_.emplace_back(r, r->cached + n);
    } else {
      pool_.cache_full(*r, r->cached + n);
    }
    // What is decoded is not stored.
    if (r->emitted == emitted_at_admission_[r]) tier_.computed(*r, r->cached, r->cached + n);
    plan.scheduled.push_back({r, r->cached, n, drafts});
    budget_ -= n + drafts;
    ++i;
  }
}

/// Who is on the host comes back first, the oldest first, with all its blocks; not in a pass that evicted.
void PlainVllmV1::swap_in(PlainPlan& plan) {
  const SchedulerSpec& knobs = server_.scheduler;
  std::sort(swapped.begin(), swapped.end(), older);
  while (!swapped.empty()) {
    PlainSequence* r = swapped.front();
    if (budget_ == 0) {
      plan.limit = AdmissionLimit::token_budget;
      return;
    }
    if (static_cast<std::int64_t>(running.size()) >= knobs.max_num_seqs) {
      plan.limit = AdmissionLimit::max_num_seqs;
      return;
    }
    std::int64_t n = r->known() - r->cached;
    if (knobs.long_prefill_token_threshold > 0) n = std::min(n, knobs.long_prefill_token_threshold);
    n = std::min(n, budget_);
    const std::int64_t watermark = running.empty() ? 0 : watermark_of(server_);
    if (!plan.preempted.empty() || pool_.blocks_for(r->cached + n) + watermark > pool_.free()) {
      plan.limit = AdmissionLimit::kv_capacity;
      return;
    }
    swapped.erase(swapped.begin());
    r->waited += now - r->waits_since;
    r->waits_since = now;
    running.push_back(r);
    plan.swapped_in.push_back({r, r->cached, host_.give_back(*r)});
    pool_.take(*r, pool_.blocks_for(r->cached + n));
    plan.scheduled.push_back({r, r->cached, n});
    budget_ -= n;
  }
}

/// Takes away who can never run.
void PlainVllmV1::give_up(PlainPlan& plan) {
  // With nothing running nobody gives blocks back: who is refused now is refused for ever, unless a load is still to be
  // known of.
  if (!plan.scheduled.empty() || !plan.preempted.empty() || !running.empty() || !swapped.empty() ||
      !deferred_.empty() || !head_refused_for_blocks_) {
    return;
  }
  for (const PlainSequence* r : loading) {
    if (r->load_ends > known_until_ || std::find(plan.loads.begin(), plan.loads.end(), r) != plan.loads.end()) return;
  }
  PlainSequence* refused = loading.empty() ? waiting[head_of_queue()] : queue().front();
  plan.cancelled.push_back({refused, "can never be admitted"});
  std::erase(waiting, refused);
  if (std::erase(loading, refused) > 0) pool_.release(*refused);
}

void PlainVllmV1::preempt(PlainPlan& plan, PlainSequence* victim, const PlainSequence* requester,
                          EvictionReason reason) {
  if (server_.scheduler.drop_in_flight && token_in_flight_.count(victim) > 0)
    plan.withdrawn.push_back(lose_token(*victim));
  const bool later = server_.scheduler.defer_frees && step_in_flight_;
  if (victim->over) {  // it has all its tokens, so it loses nothing, and ends with this pass
    plan.preempted.push_back(victim);
    give_back(*victim, later);
    return ended(*victim);
  }
  tier_.taken_back(*victim);
  const bool to_host = host_.takes(*victim, requester, "dropped");
  const std::int64_t free_before = pool_.free();
  forget_filled(victim);
  give_back(*victim, later);
  if (to_host) {
    plan.preempted.push_back(victim);
    plan.evictions.push_back(keep_kv_on_host(*victim, requester, reason, free_before, pool_.free()));
    host_.put(*victim);
    swapped.push_back(victim);
    return;
  }
  plan.evictions.push_back(lose_kv(*victim, requester, reason, free_before, pool_.free()));
  plan.preempted.push_back(victim);
  decoding_.erase(victim);
  victim->waits_since = now;
  if (!gave_up(plan, server_, victim)) put_plain_victim(destination_, order_, server_, waiting, victim);
}

/// What a victim was given earlier in the pass is in the budget again; its blocks go with the others.
void PlainVllmV1::take_back(PlainPlan& plan, const PlainSequence* victim) {
  for (std::size_t k = 0; k < plan.scheduled.size(); ++k) {
    if (plan.scheduled[k].sequence != victim) continue;
    budget_ += plan.scheduled[k].tokens + plan.scheduled[k].drafts;
    plan.scheduled.erase(plan.scheduled.begin() + static_cast<std::ptrdiff_t>(k));
    return;
  }
}

std::unique_ptr<PlainScheduler> make_plain_vllm_v1(const ServerConfig& server) {
  return std::make_unique<PlainVllmV1>(server, "fcfs",
                                       server.scheduler.reserve_full_isl ? "whole-sequence" : "first-chunk");
}

std::unique_ptr<PlainScheduler> make_plain_sjf(const ServerConfig& server) {
  return std::make_unique<PlainVllmV1>(server, "sjf", "prompt-and-max");
}

std::unique_ptr<PlainScheduler> make_plain_vtc(const ServerConfig& server) {
  return std::make_unique<PlainVllmV1>(server, "fair", "peak-estimate");
}

}  // namespace decodesim::tests
