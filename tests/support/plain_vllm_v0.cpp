// One pass of the vLLM V0 scheduler over plain queues.

#include <algorithm>
#include <deque>
#include <set>

#include "tests/support/plain_host.hpp"
#include "tests/support/plain_merged_pool.hpp"
#include "tests/support/plain_scheduler.hpp"

namespace decodesim::tests {

namespace {

class PlainVllmV0 final : public PlainScheduler {
 public:
  explicit PlainVllmV0(const ServerConfig& server) : server_(server), pool_(server), host_(server) {}

  PlainPlan plan() override;
  [[nodiscard]] bool fits_alone(const PlainSequence& sequence) const override;
  void step_ended(const PlainPlan&, Duration lasted) override {
    if (ran_prompts_) last_prompt_step_ = lasted;
  }
  void ended(PlainSequence& sequence) override {
    running.erase(std::find(running.begin(), running.end(), &sequence));
    pool_.release(sequence);
  }
  void left(PlainSequence& sequence) override {
    if (std::erase(swapped, &sequence) == 0) return PlainScheduler::left(sequence);
    host_.give_back(sequence);
  }
  [[nodiscard]] std::int64_t free_blocks() const override { return pool_.free(); }
  [[nodiscard]] KvSlots slots() const override { return pool_.slots(); }
  [[nodiscard]] std::int64_t cached_blocks_evicted() const override { return pool_.cached_blocks_evicted(); }
  [[nodiscard]] MemoryFacts memory() const override { return pool_.memory(); }

 private:
  void run_those_that_run(PlainPlan& plan);
  void swap_in(PlainPlan& plan);
  void admit_waiting(PlainPlan& plan);
  void preempt(PlainPlan& plan, PlainSequence* victim, PlainSequence* requester);
  [[nodiscard]] bool may_go_on(const PlainSequence& sequence) const;
  [[nodiscard]] bool would_start(std::int64_t tokens) const;
  [[nodiscard]] std::int64_t prompt_limit() const {
    const SchedulerSpec& knobs = server_.scheduler;
    return knobs.enable_chunked_prefill ? server_.max_model_len
                                        : std::min(server_.max_model_len, knobs.max_num_batched_tokens);
  }
  [[nodiscard]] std::int64_t cut_to_budget(std::int64_t tokens) const;
  [[nodiscard]] bool heuristic() const { return server_.scheduler.vllm_v0.append_check == AppendCheck::heuristic; }

  const ServerConfig& server_;
  PlainMergedPool pool_;
  PlainHost host_;
  std::set<const PlainSequence*> decoding_;  // those whose prompt, or what is to be computed again, is done
  std::int64_t budget_ = 0;
  bool somebody_ran_ = false;
  bool ran_prompts_ = false;
  Duration last_prompt_step_{};
};

PlainPlan PlainVllmV0::plan() {
  PlainPlan plan;
  budget_ = server_.scheduler.max_num_batched_tokens;
  somebody_ran_ = !running.empty();
  ran_prompts_ = false;
  std::sort(running.begin(), running.end(), older);

  if (server_.scheduler.enable_chunked_prefill) {
    run_those_that_run(plan);
    if (plan.preempted.empty()) swap_in(plan);
    admit_waiting(plan);
  } else {
    if (swapped.empty()) {
      admit_waiting(plan);
    } else if (!waiting.empty()) {
      plan.limit = AdmissionLimit::kv_capacity;
    }
    if (!ran_prompts_) {
      budget_ = server_.scheduler.max_num_batched_tokens;
      run_those_that_run(plan);
      if (plan.preempted.empty()) {
        swap_in(plan);
      } else {
        plan.limit = AdmissionLimit::kv_capacity;
      }
    }
  }

  close_by_arrival(running, plan, decoding_);
  // Only now can others find it.
  for (const PlainPlan::Grant& grant : plan.scheduled) pool_.computed(*grant.sequence, grant.sequence->cached);
  return plan;
}

/// With prefix caching a chunk that the budget cuts is cut to whole blocks.
std::int64_t PlainVllmV0::cut_to_budget(std::int64_t tokens) const {
  if (tokens <= budget_) return tokens;
  return server_.prefix_caching ? budget_ - budget_ % server_.block_size : budget_;
}

/// Decoding sequences, oldest first, and behind them chunks of prompts. Who finds no room takes the last of those whose
/// turn is still to come.
void PlainVllmV0::run_those_that_run(PlainPlan& plan) {
  std::deque<PlainSequence*> queue;
  for (PlainSequence* sequence : running) {
    if (decoding_.count(sequence) == 1) queue.push_back(sequence);
  }
  for (PlainSequence* sequence : running) {
    if (decoding_.count(sequence) == 0) queue.push_back(sequence);
  }
  while (!queue.empty()) {
    PlainSequence* r = queue.front();
    std::int64_t n = 1;
    if (decoding_.count(r) == 0) n = cut_to_budget(r->known() - r->cached);
    if (n == 0) return;
    queue.pop_front();
    bool gave_up = false;
    while (!gave_up && !may_go_on(*r)) {
      PlainSequence* victim = r;
      if (!queue.empty()) {
        victim = queue.back();
        queue.pop_back();
      }
      preempt(plan, victim, r);
      gave_up = victim == r;
    }
    if (gave_up) continue;
    const std::int64_t blocks = pool_.blocks_for(r->cached + n);
    const auto held = static_cast<std::int64_t>(r->blocks.size());
    if (blocks > held) pool_.take(*r, blocks - held);
    if (decoding_.count(r) == 1) pool_.write(*r, r->cached + 1);
    plan.scheduled.push_back({r, r->cached, n});
    budget_ -= n;
  }
}

bool PlainVllmV0::may_go_on(const PlainSequence& sequence) const {
  if (heuristic()) return pool_.free() >= 1;
  if (decoding_.count(&sequence) == 0) return true;  // a prompt took all its blocks when it was admitted
  return pool_.blocks_for(sequence.cached + 1) - static_cast<std::int64_t>(sequence.blocks.size()) <= pool_.free();
}

void PlainVllmV0::preempt(PlainPlan& plan, PlainSequence* victim, PlainSequence* requester) {
  const SchedulerSpec& knobs = server_.scheduler;
  const EvictionReason reason = decoding_.count(requester) == 1 ? EvictionReason::decode : EvictionReason::prefill;
  const bool to_host =
      host_.takes(*victim, requester, knobs.vllm_v0.preemption_mode == PreemptionMode::swap ? "swapped" : "dropped");
  running.erase(std::find(running.begin(), running.end(), victim));
  decoding_.erase(victim);
  const std::int64_t free_before = pool_.free();
  pool_.release(*victim);
  plan.preempted.push_back(victim);
  if (to_host) {
    plan.evictions.push_back(keep_kv_on_host(*victim, requester, reason, free_before, pool_.free()));
    host_.put(*victim);
    swapped.push_back(victim);
    return;
  }
  plan.evictions.push_back(lose_kv(*victim, requester, reason, free_before, pool_.free()));
  if (!gave_up(plan, server_, victim)) waiting.push_front(victim);
}

void PlainVllmV0::swap_in(PlainPlan& plan) {
  std::sort(swapped.begin(), swapped.end(), older);
  while (!swapped.empty()) {
    PlainSequence* r = swapped.front();
    const std::int64_t need = r->host_blocks + 1;
    if (need > server_.usable_blocks) {
      host_.give_back(*r);
      swapped.erase(swapped.begin());
      plan.cancelled.push_back({r, "can never come back from the host"});
      continue;
    }
    if (pool_.free() - need < watermark_of(server_)) {
      plan.limit = AdmissionLimit::kv_capacity;
      return;
    }
    if (static_cast<std::int64_t>(running.size()) + 1 > server_.scheduler.max_num_seqs) {
      plan.limit = AdmissionLimit::max_num_seqs;
      return;
    }
    if (budget_ < 1) {
      plan.limit = AdmissionLimit::token_budget;
      return;
    }
    swapped.erase(swapped.begin());
    running.push_back(r);
    plan.swapped_in.push_back({r, r->cached, host_.give_back(*r)});
    pool_.take(*r, pool_.blocks_for(r->known()));
    if (r->cached + 1 == r->known() && r->emitted > 0) decoding_.insert(r);
    const std::int64_t n = std::min(r->known() - r->cached, budget_);
    plan.scheduled.push_back({r, r->cached, n});
    budget_ -= n;
  }
}

void PlainVllmV0::admit_waiting(PlainPlan& plan) {
  const SchedulerSpec& knobs = server_.scheduler;
  std::deque<PlainSequence*> set_aside;  // victims of this pass
  while (!waiting.empty() &&
         std::find(plan.preempted.begin(), plan.preempted.end(), waiting.front()) != plan.preempted.end()) {
    set_aside.push_back(waiting.front());
    waiting.pop_front();
    plan.limit = AdmissionLimit::kv_capacity;
  }
  while (!waiting.empty()) {
    PlainSequence* r = waiting.front();
    const Duration waited = now - r->request->arrival;
    if (knobs.vllm_v0.delay_factor > 0 && somebody_ran_ &&
        static_cast<double>(waited.count()) <=
            knobs.vllm_v0.delay_factor * static_cast<double>(last_prompt_step_.count())) {
      plan.limit = AdmissionLimit::policy;
      break;
    }
    if (r->known() > prompt_limit()) {
      plan.cancelled.push_back({r, "more tokens than the engine takes as a prompt"});
      waiting.pop_front();
      continue;
    }
    const std::int64_t need = pool_.blocks_for(r->known());
    if (server_.usable_blocks - need < watermark_of(server_)) {
      plan.cancelled.push_back({r, "never fits the KV pool"});
      waiting.pop_front();
      continue;
    }
    if (pool_.free() - (need - pool_.shared(*r)) < watermark_of(server_)) {
      plan.limit = AdmissionLimit::kv_capacity;
      break;
    }
    const std::int64_t found = std::max(found_in_place(server_, *r), pool_.found(*r));
    const std::int64_t missing = r->known() - found;
    const std::int64_t n = knobs.enable_chunked_prefill ? cut_to_budget(missing) : missing;
    if (n == 0 || n > budget_) {
      plan.limit = AdmissionLimit::token_budget;
      break;
    }
    if (static_cast<std::int64_t>(running.size()) + 1 > knobs.max_num_seqs) {
      plan.limit = AdmissionLimit::max_num_seqs;
      break;
    }
    waiting.pop_front();
    running.push_back(r);
    pool_.take_known(*r);
    r->cached = found;
    if (found > 0) plan.found.push_back({r, found});
    plan.scheduled.push_back({r, found, n});
    budget_ -= n;
    ran_prompts_ = true;
  }
  waiting.insert(waiting.begin(), set_aside.begin(), set_aside.end());
}

bool PlainVllmV0::fits_alone(const PlainSequence& sequence) const {
  const std::int64_t pool = server_.usable_blocks;
  const std::int64_t written = sequence.input + sequence.output - 1;
  if (pool_.blocks_for(written) > pool || !would_start(sequence.input)) return false;
  if (sequence.output <= 1) return true;
  const std::int64_t held = pool_.blocks_for(written - 1);  // when its last token is to come
  const std::string fate = server_.scheduler.policies.kv_fate.value_or(
      server_.scheduler.vllm_v0.preemption_mode == PreemptionMode::swap ? "swapped" : "dropped");
  if (fate != "dropped") return held + 1 <= pool - watermark_of(server_);
  if (!heuristic() || held + 1 <= pool) return true;
  // It evicts itself before a token and computes everything again, in one step.
  return written <= server_.scheduler.max_num_batched_tokens && would_start(written);
}

bool PlainVllmV0::would_start(std::int64_t tokens) const {
  if (tokens > prompt_limit()) return false;
  const std::int64_t left = server_.usable_blocks - pool_.blocks_for(tokens);
  if (left < watermark_of(server_)) return false;
  const bool cut = tokens > server_.scheduler.max_num_batched_tokens;
  if (cut && server_.prefix_caching && server_.scheduler.max_num_batched_tokens < server_.block_size) return false;
  return tokens <= server_.scheduler.max_num_batched_tokens || !heuristic() || left > 0;
}

}  // namespace

std::unique_ptr<PlainScheduler> make_plain_vllm_v0(const ServerConfig& server) {
  return std::make_unique<PlainVllmV0>(server);
}

}  // namespace decodesim::tests
