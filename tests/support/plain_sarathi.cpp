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
  void preempt(PlainPlan& plan, PlainSequence* victim, const PlainSequence* requester);
  [[nodiscard]] std::int64_t chunk_size(std::int64_t cached) const;

  std::set<const PlainSequence*> decoding_;  // those whose prompt, or what is to be computed again, is done
};

PlainPlan PlainSarathi::plan() {
  const SchedulerSpec& knobs = server_.scheduler;
  PlainPlan plan;
  std::int64_t tokens = 0;

  // Who decodes, oldest first; prompts are kept for later, and those not looked at yet can be taken as victims.
  std::sort(running.begin(), running.end(), older);
  std::vector<PlainSequence*> rest = running;
  std::vector<PlainSequence*> prompts;
  while (!rest.empty()) {
    PlainSequence* r = rest.front();
    rest.erase(rest.begin());
    if (decoding_.count(r) == 0) {
      prompts.push_back(r);
      continue;
    }
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
    tokens += 1;
  }

  for (PlainSequence* r : prompts) {
    const std::int64_t n = std::min(r->known() - r->cached, chunk_size(r->cached) - tokens);
    if (n <= 0) continue;
    plan.scheduled.push_back({r, r->cached, n});
    tokens += n;
  }

  bool no_room = false;
  while (!waiting.empty()) {
    PlainSequence* r = waiting.front();
    const std::int64_t need = pool_.blocks_for(r->known());
    const std::int64_t found = found_in_place(server_, *r);
    const std::int64_t n = std::min(r->known() - found, chunk_size(found) - tokens);
    if (pool_.free() - need < watermark_of(server_)) {
      plan.limit = AdmissionLimit::kv_capacity;
      no_room = true;
      break;
    }
    if (static_cast<std::int64_t>(running.size()) >= knobs.max_num_seqs) {
      plan.limit = AdmissionLimit::max_num_seqs;
      break;
    }
    if (n <= 0) {
      plan.limit = AdmissionLimit::token_budget;
      break;
    }
    waiting.pop_front();
    running.push_back(r);
    pool_.take(*r, need);
    r->cached = found;
    if (found > 0) plan.found.push_back({r, found});
    plan.scheduled.push_back({r, found, n});
    tokens += n;
  }

  // Under `fail_after` a head that even an empty server refuses is given up.
  if (knobs.never_fits == NeverFits::fail_after && no_room && running.empty() && plan.preempted.empty()) {
    plan.cancelled.push_back({waiting.front(), "can never be admitted"});
    waiting.pop_front();
  }

  close_by_arrival(running, plan, decoding_);
  return plan;
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
