// One pass of the Sarathi-Serve scheduler over plain queues.

#include <algorithm>
#include <cmath>
#include <set>

#include "tests/support/plain_scheduler.hpp"

namespace decodesim::tests {

namespace {

class PlainSarathi final : public PlainPoolScheduler {
 public:
  using PlainPoolScheduler::PlainPoolScheduler;

  PlainPlan plan() override;
  [[nodiscard]] bool fits_alone(const PlainSequence& sequence) const override {
    return server_.usable_blocks - pool_.blocks_for(sequence.input + sequence.output - 1) >= watermark_of(server_);
  }

 private:
  void take_turn(PlainPlan& plan);
  void decode(PlainPlan& plan);
  void serve_prompts(PlainPlan& plan);
  void admit(PlainPlan& plan);
  void preempt(PlainPlan& plan, PlainSequence* victim, const PlainSequence* requester);
  [[nodiscard]] std::int64_t chunk_size(std::int64_t cached) const;

  std::set<const PlainSequence*> decoding_;  // those whose prompt, or what is to be computed again, is done
  std::int64_t tokens_ = 0;                  // of the pass at hand
  bool no_room_ = false;                     // in it the head found too few blocks
  bool turn_of_prompts_ = true;
};

PlainPlan PlainSarathi::plan() {
  PlainPlan plan;
  tokens_ = 0;
  no_room_ = false;
  std::sort(running.begin(), running.end(), older);
  if (server_.scheduler.sarathi.batching == SarathiBatching::in_turn) {
    take_turn(plan);
  } else {
    decode(plan);
    serve_prompts(plan);
    admit(plan);
  }
  // Under `fail_after` a head that even an empty server refuses is given up.
  if (server_.scheduler.never_fits == NeverFits::fail_after && no_room_ && running.empty() && plan.preempted.empty()) {
    plan.cancelled.push_back({waiting.front(), "can never be admitted"});
    waiting.pop_front();
  }
  close_by_arrival(running, plan, decoding_);
  return plan;
}

/// Prompts that run; or, where there are none, prompts that wait; or, where there are none either, who decodes. After
/// prompts it is the turn of who decodes, and after that always the prompts'.
void PlainSarathi::take_turn(PlainPlan& plan) {
  const bool turn_of_prompts = turn_of_prompts_;
  if (!waiting.empty()) plan.limit = AdmissionLimit::policy;
  if (turn_of_prompts) {
    serve_prompts(plan);
    if (plan.scheduled.empty()) {
      plan.limit = AdmissionLimit::arrivals;
      admit(plan);
    }
  }
  if (!plan.scheduled.empty()) {
    turn_of_prompts_ = false;
    return;
  }
  decode(plan);
  turn_of_prompts_ = true;
  plan.moved = !turn_of_prompts;
}

/// Who decodes, oldest first. Those not looked at yet, prompts among them, can be taken as victims.
void PlainSarathi::decode(PlainPlan& plan) {
  std::vector<PlainSequence*> rest = running;
  while (!rest.empty()) {
    PlainSequence* r = rest.front();
    rest.erase(rest.begin());
    if (decoding_.count(r) == 0) continue;
    bool stays = true;
    while (stays && pool_.free() == 0) {
      PlainSequence* victim = rest.empty() ? r : rest.back();
      if (!rest.empty()) rest.pop_back();
      preempt(plan, victim, r);
      stays = victim != r;
    }
    if (!stays) continue;
    if (pool_.blocks_for(r->cached + 1) > static_cast<std::int64_t>(r->blocks.size())) pool_.take(*r, 1);
    plan.scheduled.push_back({r, r->cached, 1});
    tokens_ += 1;
  }
}

/// Prompts that run.
void PlainSarathi::serve_prompts(PlainPlan& plan) {
  for (PlainSequence* r : running) {
    if (decoding_.count(r) == 1) continue;
    const std::int64_t n = std::min(r->known() - r->cached, chunk_size(r->cached) - tokens_);
    if (n <= 0) continue;
    plan.scheduled.push_back({r, r->cached, n});
    tokens_ += n;
  }
}

/// Prompts that wait.
void PlainSarathi::admit(PlainPlan& plan) {
  while (!waiting.empty()) {
    PlainSequence* r = waiting.front();
    const std::int64_t need = pool_.blocks_for(r->known());
    const std::int64_t found = found_in_place(server_, *r);
    const std::int64_t n = std::min(r->known() - found, chunk_size(found) - tokens_);
    if (pool_.free() - need < watermark_of(server_)) {
      plan.limit = AdmissionLimit::kv_capacity;
      no_room_ = true;
      return;
    }
    if (static_cast<std::int64_t>(running.size()) >= server_.scheduler.max_num_seqs) {
      plan.limit = AdmissionLimit::max_num_seqs;
      return;
    }
    if (n <= 0) {
      plan.limit = AdmissionLimit::token_budget;
      return;
    }
    waiting.pop_front();
    running.push_back(r);
    pool_.take(*r, need);
    r->cached = found;
    if (found > 0) plan.found.push_back({r, found});
    plan.scheduled.push_back({r, found, n});
    tokens_ += n;
  }
}

void PlainSarathi::preempt(PlainPlan& plan, PlainSequence* victim, const PlainSequence* requester) {
  running.erase(std::find(running.begin(), running.end(), victim));
  decoding_.erase(victim);
  const std::int64_t free_before = pool_.free();
  pool_.release(*victim);
  plan.evictions.push_back(lose_kv(*victim, requester, EvictionReason::decode, free_before, pool_.free()));
  plan.preempted.push_back(victim);
  if (!gave_up(plan, server_, victim)) waiting.push_front(victim);
}

/// The size of a step's chunk for a prompt that is so far: one size, or the one of its stage, from high to low.
std::int64_t PlainSarathi::chunk_size(std::int64_t cached) const {
  const SarathiKnobs& own = server_.scheduler.sarathi;
  if (own.chunk_schedule == ChunkSchedule::fixed) return own.chunk_size;
  const std::int64_t stages = own.chunk_schedule_stages;
  const auto stage_tokens = static_cast<std::int64_t>(
      std::ceil(static_cast<double>(own.chunk_schedule_tokens) / static_cast<double>(stages)));
  const std::int64_t stage = std::min(cached / stage_tokens, stages - 1);
  // Equal steps between the two ends, cut to whole tokens.
  std::int64_t size = own.chunk_size_low;
  if (stages > 1) size += (own.chunk_size_high - own.chunk_size_low) * (stages - 1 - stage) / (stages - 1);
  // To a multiple, halves to the even one, as nearbyint does.
  const std::int64_t grain = std::min<std::int64_t>(32, own.chunk_size_low);
  return static_cast<std::int64_t>(std::nearbyint(static_cast<double>(size) / static_cast<double>(grain))) * grain;
}

}  // namespace

std::unique_ptr<PlainScheduler> make_plain_sarathi(const ServerConfig& server) {
  return std::make_unique<PlainSarathi>(server);
}

}  // namespace decodesim::tests
