#include "tests/support/plain_scheduler.hpp"

#include <algorithm>
#include <cmath>

namespace decodesim::tests {

PlainScheduler::PlainScheduler(const ServerConfig& server) : server_(server) {
  for (std::int64_t id = 1; id <= server.usable_blocks; ++id) free.push_back(static_cast<std::uint32_t>(id));
}

PlainPlan PlainScheduler::plan() {
  PlainPlan plan;
  budget_ = server_.scheduler.max_num_batched_tokens;
  head_refused_for_blocks_ = false;

  extend_running(plan);
  if (plan.preempted.empty()) {
    admit_waiting(plan);
  } else {
    plan.limit = AdmissionLimit::kv_capacity;
  }
  if (server_.scheduler.never_fits == NeverFits::fail_after) give_up(plan);

  for (const PlainPlan::Grant& grant : plan.scheduled) grant.sequence->cached += grant.tokens;
  return plan;
}

/// Phase R: running sequences first, in the order of admission.
void PlainScheduler::extend_running(PlainPlan& plan) {
  const SchedulerSpec& knobs = server_.scheduler;
  std::size_t i = 0;
  while (i < running.size() && budget_ > 0) {
    PlainSequence* r = running[i];
    std::int64_t n = r->known() - r->cached;
    if (knobs.long_prefill_token_threshold > 0) n = std::min(n, knobs.long_prefill_token_threshold);
    n = std::min(n, budget_);
    n = std::min(n, server_.max_model_len - 1 - r->cached);
    if (n == 0) {
      ++i;
      continue;
    }

    const std::int64_t need = blocks_for(r->cached + n) - static_cast<std::int64_t>(r->blocks.size());
    bool evicted_itself = false;
    while (need > free_blocks()) {
      PlainSequence* victim = running.back();
      running.pop_back();
      preempt(victim, r);
      plan.preempted.push_back(victim);
      if (victim == r) {
        evicted_itself = true;
        break;
      }
    }
    if (evicted_itself) return;

    take_blocks(*r, need);
    plan.scheduled.push_back({r, r->cached, n});
    budget_ -= n;
    ++i;
  }
}

/// Phase W: the head of the queue, again and again, until something stops it.
void PlainScheduler::admit_waiting(PlainPlan& plan) {
  const SchedulerSpec& knobs = server_.scheduler;
  while (budget_ > 0 && !waiting.empty()) {
    if (static_cast<std::int64_t>(running.size()) >= knobs.max_num_seqs) {
      plan.limit = AdmissionLimit::max_num_seqs;
      return;
    }
    PlainSequence* r = waiting.front();
    const std::int64_t found = found_in_place(*r);
    std::int64_t n = r->known() - found;
    if (knobs.long_prefill_token_threshold > 0) n = std::min(n, knobs.long_prefill_token_threshold);
    if (!knobs.enable_chunked_prefill && n > budget_) {
      plan.limit = AdmissionLimit::token_budget;
      return;
    }
    n = std::min(n, budget_);

    std::int64_t watermark = 0;
    if (!running.empty()) {
      watermark = static_cast<std::int64_t>(std::floor(knobs.watermark * static_cast<double>(server_.num_blocks)));
    }
    const std::int64_t whole = blocks_for(std::min(r->known(), server_.max_model_len));
    const std::int64_t need = blocks_for(found + n);
    if ((knobs.reserve_full_isl && whole + watermark > free_blocks()) || need + watermark > free_blocks()) {
      plan.limit = AdmissionLimit::kv_capacity;
      head_refused_for_blocks_ = true;
      return;
    }

    waiting.pop_front();
    running.push_back(r);
    take_blocks(*r, need);
    r->cached = found;
    if (found > 0) plan.found.push_back({r, found});
    plan.scheduled.push_back({r, found, n});
    budget_ -= n;
  }
  plan.limit = waiting.empty() ? AdmissionLimit::arrivals : AdmissionLimit::token_budget;
}

/// Takes away who can never run. Since victims go to the head of the queue, who gave up is not always there alone.
void PlainScheduler::give_up(PlainPlan& plan) {
  for (PlainSequence* victim : plan.preempted) {
    if (victim->self_preemptions < server_.scheduler.fail_after) continue;
    waiting.erase(std::find(waiting.begin(), waiting.end(), victim));
    plan.cancelled.push_back({victim, "preempted itself too often"});
  }
  // With nothing running the pool is empty of holders: a head that is refused now is refused for ever.
  if (plan.scheduled.empty() && plan.preempted.empty() && running.empty() && head_refused_for_blocks_) {
    plan.cancelled.push_back({waiting.front(), "can never be admitted"});
    waiting.pop_front();
  }
}

void PlainScheduler::preempt(PlainSequence* victim, const PlainSequence* requester) {
  release(*victim);
  victim->cached_before_eviction = std::max(victim->cached_before_eviction, victim->cached);
  victim->cached = 0;
  victim->preemptions += 1;
  if (victim == requester) victim->self_preemptions += 1;
  waiting.push_front(victim);
}

void PlainScheduler::release(PlainSequence& sequence) {
  while (!sequence.blocks.empty()) {
    free.push_back(sequence.blocks.back());
    sequence.blocks.pop_back();
  }
}

void PlainScheduler::take_blocks(PlainSequence& sequence, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    sequence.blocks.push_back(free.front());
    free.pop_front();
  }
}

/// Tokens whose KV arrives with the request, or comes back to it after a preemption, at no cost.
std::int64_t PlainScheduler::found_in_place(const PlainSequence& sequence) const {
  if (server_.serving.prefill == PrefillMode::computed) return 0;
  if (sequence.preemptions == 0) return sequence.input - 1;
  if (server_.serving.after_preemption == AfterPreemption::recompute) return 0;
  return std::min(sequence.input, sequence.known() - 1);
}

std::int64_t PlainScheduler::blocks_for(std::int64_t tokens) const {
  return (tokens + server_.block_size - 1) / server_.block_size;
}

}  // namespace decodesim::tests
