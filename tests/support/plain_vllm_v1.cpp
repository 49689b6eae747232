// One pass of the vLLM V1 scheduler over plain queues.

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/plain_admission.hpp"
#include "tests/support/plain_fair.hpp"
#include "tests/support/plain_host.hpp"
#include "tests/support/plain_host_tier.hpp"
#include "tests/support/plain_lengths.hpp"
#include "tests/support/plain_policies.hpp"
#include "tests/support/plain_prefix_pool.hpp"
#include "tests/support/plain_scheduler.hpp"

namespace decodesim::tests {

namespace {

class PlainVllmV1 final : public PlainScheduler {
 public:
  PlainVllmV1(const ServerConfig& server, const std::string& own_order, const std::string& own_admission)
      : server_(server), pool_(server), host_(server), tier_(server), fair_(server.scheduler.fair) {
    const PolicyChoices& chosen = server.scheduler.policies;
    order_ = chosen.queue_order.value_or(own_order);
    victim_ = chosen.victim.value_or(order_ == "priority" ? "lowest-priority" : "last-admitted");
    destination_ = chosen.destination.value_or(order_ == "fcfs" ? "head" : "by-key");
    admission_ = chosen.admission.value_or(own_admission);
  }

  PlainPlan plan() override;
  [[nodiscard]] bool fits_alone(const PlainSequence& sequence) const override {
    return pool_.blocks_for(sequence.input + sequence.output - 1) <= server_.usable_blocks &&
           plain_admits_alone(admission_, server_, sequence);
  }
  void arrived(PlainSequence& sequence) override {
    sequence.waits_since = sequence.request->arrival;
    sequence.predicted = plain_prediction(server_, sequence);
    if (order_ == "fair") fair_.arrived(sequence, waiting);
    enter_plain_queue(order_, server_, waiting, &sequence);
  }
  void ended(PlainSequence& sequence) override {
    decoding_.erase(&sequence);
    forget_filled(&sequence);
    running.erase(std::remove(running.begin(), running.end(), &sequence), running.end());
    waiting.erase(std::remove(waiting.begin(), waiting.end(), &sequence), waiting.end());
    pool_.release(sequence);
  }
  [[nodiscard]] KvSlots slots() const override { return pool_.slots(); }
  [[nodiscard]] std::int64_t free_blocks() const override { return pool_.free(); }
  [[nodiscard]] std::int64_t cached_blocks_evicted() const override { return pool_.cached_blocks_evicted(); }
  [[nodiscard]] MemoryFacts memory() const override { return pool_.memory(); }

 private:
  void extend_running(PlainPlan& plan);
  void swap_in(PlainPlan& plan);
  void admit_waiting(PlainPlan& plan);
  [[nodiscard]] std::size_t head_of_queue() const;
  void give_up(PlainPlan& plan);
  void cache_late();
  void forget_filled(const PlainSequence* sequence);
  void take_back(PlainPlan& plan, const PlainSequence* victim);
  void preempt(PlainPlan& plan, PlainSequence* victim, const PlainSequence* requester, EvictionReason reason);

  const ServerConfig& server_;
  PlainPrefixPool pool_;
  PlainHost host_;
  PlainHostTier tier_;
  std::map<const PlainSequence*, std::int64_t> emitted_at_admission_;
  std::vector<std::pair<const PlainSequence*, std::int64_t>> filled_;  // planned ahead: tokens cached by this pass
  std::vector<std::pair<const PlainSequence*, std::int64_t>> filled_before_;  // and by the one before
  std::string order_;
  std::string victim_;
  std::string destination_;
  std::string admission_;
  PlainFair fair_;
  std::set<const PlainSequence*> decoding_;  // running ones whose prompt is computed
  std::set<const PlainSequence*> left_out_;  // of these, who got no token in the last pass
  std::set<const PlainSequence*> whole_;     // admitted in this pass with all their tokens
  std::int64_t budget_ = 0;
  bool head_refused_for_blocks_ = false;
};

PlainPlan PlainVllmV1::plan() {
  PlainPlan plan;
  budget_ = server_.scheduler.max_num_batched_tokens;
  head_refused_for_blocks_ = false;
  whole_.clear();
  tier_.begin_pass();
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
  for (PlainSequence* r : running) {
    if (decoding_.count(r) > 0) left_out_.insert(r);
  }
  for (const PlainPlan::Grant& grant : plan.scheduled) {
    left_out_.erase(grant.sequence);
    grant.sequence->cached += grant.tokens;
    if (grant.sequence->cached == grant.sequence->known()) decoding_.insert(grant.sequence);
  }
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
    if (knobs.long_prefill_token_threshold > 0) n = std::min(n, knobs.long_prefill_token_threshold);
    n = std::min(n, budget_);
    n = std::min(n, server_.max_model_len - 1 - r->cached);
    if (n == 0) {
      ++i;
      continue;
    }

    const std::int64_t need = pool_.blocks_for(r->cached + n) - static_cast<std::int64_t>(r->blocks.size());
    while (need > pool_.free()) {
      const std::size_t v = choose_plain_victim(victim_, running);
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
    plan.scheduled.push_back({r, r->cached, n});
    budget_ -= n;
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
    running.push_back(r);
    plan.swapped_in.push_back({r, r->cached, host_.give_back(*r)});
    pool_.take(*r, pool_.blocks_for(r->cached + n));
    plan.scheduled.push_back({r, r->cached, n});
    budget_ -= n;
  }
}

/// The place in the queue of who is next.
std::size_t PlainVllmV1::head_of_queue() const {
  if (order_ == "fair") return fair_.head(waiting);
  if (order_ != "longest-prefix") return 0;
  std::size_t best = 0;
  for (std::size_t i = 1; i < waiting.size(); ++i) {
    if (pool_.hits(*waiting[i]).size() > pool_.hits(*waiting[best]).size()) best = i;
  }
  return best;
}

/// Phase W: the head of the queue, again and again, until something stops it.
void PlainVllmV1::admit_waiting(PlainPlan& plan) {
  const SchedulerSpec& knobs = server_.scheduler;
  while (budget_ > 0 && !waiting.empty()) {
    if (static_cast<std::int64_t>(running.size()) >= knobs.max_num_seqs) {
      plan.limit = AdmissionLimit::max_num_seqs;
      return;
    }
    const std::size_t head = head_of_queue();
    PlainSequence* r = waiting[head];
    const std::vector<std::uint32_t> hits = pool_.hits(*r);
    const auto hit_blocks = static_cast<std::int64_t>(hits.size());
    const std::int64_t on_device = std::max(found_in_place(server_, *r), hit_blocks * server_.block_size);
    const std::int64_t found = tier_.find(*r, on_device);
    std::int64_t n = r->known() - found;
    if (knobs.long_prefill_token_threshold > 0) n = std::min(n, knobs.long_prefill_token_threshold);
    if (!knobs.enable_chunked_prefill && n > budget_) {
      plan.limit = AdmissionLimit::token_budget;
      return;
    }
    n = std::min(n, budget_);

    const std::int64_t watermark = running.empty() ? 0 : watermark_of(server_);
    const auto prompt_is_done = [this](const PlainSequence* one) {
      return decoding_.count(one) > 0 || whole_.count(one) > 0;
    };
    // Hits among the free blocks will leave them; the others need no room.
    std::int64_t shared = 0;
    for (std::uint32_t block : hits) shared += pool_.is_free(block) ? 0 : 1;
    const std::int64_t need = pool_.blocks_for(found + n) - hit_blocks;
    const PlainAdmission state{server_, running, pool_.free(), watermark - shared, prompt_is_done};
    if (!plain_admits(admission_, state, *r, found, n)) {
      plan.limit = AdmissionLimit::kv_capacity;
      head_refused_for_blocks_ = true;
      return;
    }

    if (order_ == "fair") fair_.admitted(*r);
    if (found + n == r->known()) whole_.insert(r);
    r->waited += now - r->waits_since;
    waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(head));
    running.push_back(r);
    pool_.touch(*r, hits);
    tier_.use(*r, on_device, found);
    pool_.take(*r, need);
    pool_.cache_full(*r, found + n);
    tier_.computed(*r, found, found + n);
    if (found > on_device)
      plan.loaded.push_back({r, found - on_device, pool_.blocks_for(found) - pool_.blocks_for(on_device)});
    r->cached = found;
    emitted_at_admission_[r] = r->emitted;
    if (found > 0) plan.found.push_back({r, found});
    plan.scheduled.push_back({r, found, n});
    budget_ -= n;
  }
  plan.limit = waiting.empty() ? AdmissionLimit::arrivals : AdmissionLimit::token_budget;
}

/// Takes away who can never run.
void PlainVllmV1::give_up(PlainPlan& plan) {
  // With nothing running the pool is empty of holders: a head that is refused now is refused for ever.
  if (plan.scheduled.empty() && plan.preempted.empty() && running.empty() && swapped.empty() &&
      head_refused_for_blocks_) {
    const std::size_t head = head_of_queue();
    plan.cancelled.push_back({waiting[head], "can never be admitted"});
    waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(head));
  }
}

void PlainVllmV1::preempt(PlainPlan& plan, PlainSequence* victim, const PlainSequence* requester,
                          EvictionReason reason) {
  if (victim->over) {  // it has all its tokens, so it loses nothing, and ends with this pass
    plan.preempted.push_back(victim);
    return ended(*victim);
  }
  tier_.taken_back(*victim);
  const bool to_host = host_.takes(*victim, requester, "dropped");
  const std::int64_t free_before = pool_.free();
  forget_filled(victim);
  pool_.release(*victim);
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
    budget_ += plan.scheduled[k].tokens;
    plan.scheduled.erase(plan.scheduled.begin() + static_cast<std::ptrdiff_t>(k));
    return;
  }
}

}  // namespace

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
