#include "tests/support/plain_scheduler.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace decodesim::tests {

std::unique_ptr<PlainScheduler> make_plain_scheduler(const ServerConfig& server) {
  const std::string& engine = server.scheduler.engine;
  if (engine == "vllm-v1") return make_plain_vllm_v1(server);
  if (engine == "orca") return make_plain_orca(server);
  if (engine == "static-batch") return make_plain_static_batch(server);
  if (engine.starts_with("trtllm-")) return make_plain_trtllm(server);
  if (engine == "sjf") return make_plain_sjf(server);
  if (engine == "vtc") return make_plain_vtc(server);
  if (engine == "srpt") return make_plain_srpt(server);
  if (engine == "mlfq") return make_plain_mlfq(server);
  if (engine == "sglang") return make_plain_sglang(server);
  if (engine == "vllm-v0") return make_plain_vllm_v0(server);
  if (engine == "sarathi") return make_plain_sarathi(server);
  throw std::invalid_argument("the plain stepper has no engine '" + engine + "'");
}

PlainPool::PlainPool(const ServerConfig& server) : block_size_(server.block_size), total_(server.usable_blocks) {
  for (std::int64_t id = 1; id <= server.usable_blocks; ++id) free_.push_back(static_cast<std::uint32_t>(id));
}

void PlainPool::take(PlainSequence& sequence, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    sequence.blocks.push_back(free_.front());
    free_.pop_front();
  }
}

void PlainPool::release(PlainSequence& sequence) {
  while (!sequence.blocks.empty()) {
    free_.push_back(sequence.blocks.back());
    sequence.blocks.pop_back();
  }
}

void PlainPoolScheduler::ended(PlainSequence& sequence) {
  running.erase(std::find(running.begin(), running.end(), &sequence));
  pool_.release(sequence);
}

void PlainScheduler::left(PlainSequence& sequence) {
  if (std::find(running.begin(), running.end(), &sequence) != running.end()) return ended(sequence);
  std::erase(waiting, &sequence);
}

void close_by_arrival(std::vector<PlainSequence*>& running, PlainPlan& plan, std::set<const PlainSequence*>& decoding) {
  std::sort(running.begin(), running.end(), older);
  std::sort(plan.scheduled.begin(), plan.scheduled.end(),
            [](const auto& a, const auto& b) { return older(a.sequence, b.sequence); });
  for (const PlainPlan::Grant& grant : plan.scheduled) {
    grant.sequence->cached += grant.tokens;
    if (grant.sequence->cached == grant.sequence->known()) decoding.insert(grant.sequence);
  }
}

std::int64_t watermark_of(const ServerConfig& server) {
  return static_cast<std::int64_t>(std::floor(server.scheduler.watermark * static_cast<double>(server.num_blocks)));
}

std::int64_t found_in_place(const ServerConfig& server, const PlainSequence& sequence) {
  if (server.serving.prefill == PrefillMode::computed) return 0;
  if (sequence.preemptions == 0) return sequence.input - 1;
  if (server.serving.after_preemption == AfterPreemption::recompute) return 0;
  return std::min(sequence.input, sequence.known() - 1);
}

bool gave_up(PlainPlan& plan, const ServerConfig& server, PlainSequence* victim) {
  const SchedulerSpec& knobs = server.scheduler;
  if (knobs.never_fits != NeverFits::fail_after || victim->self_preemptions < knobs.fail_after) return false;
  plan.cancelled.push_back({victim, "preempted itself too often"});
  return true;
}

PlainEviction lose_kv(PlainSequence& victim, const PlainSequence* requester, EvictionReason reason,
                      std::int64_t free_before, std::int64_t free_after) {
  const PlainEviction told{&victim, requester, reason, victim.cached, free_after - free_before, free_before};
  victim.cached_before_eviction = std::max(victim.cached_before_eviction, victim.cached);
  victim.discarded += victim.cached;
  victim.cached = 0;
  victim.preemptions += 1;
  if (&victim == requester) victim.self_preemptions += 1;
  return told;
}

WithdrawnToken lose_token(PlainSequence& victim) {
  WithdrawnToken lost;
  lost.request = victim.request;
  victim.emitted -= 1;
  victim.over = false;
  if (victim.emitted == 0) {
    victim.first_token = Time{Duration(-1)};
    victim.last_token = Time{Duration(-1)};
  } else {
    lost.gap = victim.last_token - victim.token_before;
    victim.last_token = victim.token_before;
  }
  return lost;
}

PlainEviction keep_kv_on_host(PlainSequence& victim, const PlainSequence* requester, EvictionReason reason,
                              std::int64_t free_before, std::int64_t free_after) {
  victim.host_blocks = free_after - free_before;
  victim.swapped_out += victim.cached;
  victim.preemptions += 1;
  if (&victim == requester) victim.self_preemptions += 1;
  return {&victim, requester, reason, victim.cached, free_after - free_before, free_before, KvFate::swapped};
}

}  // namespace decodesim::tests
