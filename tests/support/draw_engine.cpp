#include "tests/support/draw_engine.hpp"

#include <array>
#include <string>
#include <string_view>

#include "sim/serving/policy_table.hpp"

namespace decodesim::tests {

namespace {

/// Half of the servers are vLLM's own, the others a mixture.
void draw_policies(Draws& draws, SchedulerSpec& knobs) {
  PolicyChoices& policies = knobs.policies;
  if (draws.chance(50)) return;
  if (draws.chance(40)) policies.queue_order = "priority";
  const auto pick = [&](std::string_view axis) {
    const std::vector<std::string_view> names = policy_names(axis);
    return std::string(names[static_cast<std::size_t>(draws.between(0, static_cast<std::int64_t>(names.size()) - 1))]);
  };
  if (draws.chance(60)) policies.victim = pick("victim");
  if (draws.chance(30)) policies.admission = draws.chance(50) ? "whole-sequence" : "first-chunk";
  if (policies.admission) knobs.reserve_full_isl = true;  // not read beside it
  if (draws.chance(50))
    policies.destination = policies.queue_order ? "by-key" : draws.pick({"head", "tail", "same-place"});
  if (draws.chance(40)) policies.after_eviction = pick("after_eviction");
  if (draws.chance(40)) policies.kv_fate = draws.pick({"dropped", "swapped", "swapped", "cheaper"});
}

void draw_vllm_v1(Draws& draws, const Ranges& ranges, ServerConfig& server) {
  SchedulerSpec& knobs = server.scheduler;
  knobs.long_prefill_token_threshold = draws.chance(50) ? 0 : draws.pick<std::int64_t>({1, 4, 7, 16});
  knobs.reserve_full_isl = draws.chance(50);
  if (draws.chance(40)) knobs.watermark = static_cast<double>(draws.between(1, 30)) / 100;
  if (draws.chance(15)) {
    // A server without chunks takes whole prompts, so its budget must hold the longest.
    knobs.enable_chunked_prefill = false;
    server.max_model_len = draws.between(10, 3 * ranges.long_max / 2);
    knobs.max_num_batched_tokens = server.max_model_len + draws.between(0, 20);
  }
  draw_policies(draws, knobs);
  if (draws.chance(35)) {
    server.serving.prefill = PrefillMode::arrives_computed;
    if (draws.chance(50)) server.serving.after_preemption = AfterPreemption::refetch;
  }
}

void draw_reserving(Draws& draws, const Ranges& ranges, ServerConfig& server) {
  SchedulerSpec& knobs = server.scheduler;
  knobs.reservation =
      draws.pick({Reservation::blocks, Reservation::maximum, Reservation::power_of_two, Reservation::oracle});
  // Reservations for a limit that nobody reaches would let nobody in.
  server.max_model_len = draws.between(5, 2 * ranges.long_max);
  if (draws.chance(35)) server.serving.prefill = PrefillMode::arrives_computed;
}

void draw_static_batch(Draws& draws, const Ranges& ranges, ServerConfig& server) {
  draw_reserving(draws, ranges, server);
  if (draws.chance(50)) server.scheduler.finished_slots = FinishedSlots::hold_until_batch_end;
}

/// Watermark and how prompts reach the server, for engines that take whole prompts' blocks.
void draw_whole_prompts(Draws& draws, ServerConfig& server) {
  if (draws.chance(60)) server.scheduler.watermark = static_cast<double>(draws.between(1, 30)) / 100;
  if (draws.chance(20)) {
    server.serving.prefill = PrefillMode::arrives_computed;
    if (draws.chance(50)) server.serving.after_preemption = AfterPreemption::refetch;
  }
}

void draw_vllm_v0(Draws& draws, const Ranges& ranges, ServerConfig& server) {
  SchedulerSpec& knobs = server.scheduler;
  knobs.enable_chunked_prefill = draws.chance(40);
  // A budget that holds every prompt, more often than not, so that few are ignored.
  if (!knobs.enable_chunked_prefill && draws.chance(70)) knobs.max_num_batched_tokens = 2 * ranges.long_max;
  if (draws.chance(40)) knobs.vllm_v0.append_check = AppendCheck::exact;
  if (draws.chance(25)) knobs.vllm_v0.delay_factor = static_cast<double>(draws.between(1, 8)) / 4;
  if (draws.chance(30)) {
    knobs.policies.kv_fate = draws.pick({"dropped", "swapped", "cheaper"});
  } else if (draws.chance(50)) {
    knobs.vllm_v0.preemption_mode = PreemptionMode::swap;
  }
  draw_whole_prompts(draws, server);
}

void draw_sarathi(Draws& draws, const Ranges& ranges, ServerConfig& server) {
  SchedulerSpec& knobs = server.scheduler;
  SarathiKnobs& own = knobs.sarathi;
  if (draws.chance(70)) {
    own.chunk_size = knobs.max_num_batched_tokens;
  } else {
    own.chunk_schedule = ChunkSchedule::linear;
    own.chunk_size_low = draws.between(1, 40);
    own.chunk_size_high = own.chunk_size_low + draws.between(0, 100);
    own.chunk_schedule_tokens = draws.between(1, 2 * ranges.long_max);
    own.chunk_schedule_stages = draws.between(1, 6);
  }
  knobs.max_num_batched_tokens = SchedulerSpec{}.max_num_batched_tokens;  // not read
  draw_whole_prompts(draws, server);
}

/// Every engine with what draws its knobs, and its share of the scenarios.
struct EngineDraw {
  const char* name;
  std::int64_t share;
  void (*knobs)(Draws& draws, const Ranges& ranges, ServerConfig& server);
};
constexpr std::array engine_draws{
    EngineDraw{"vllm-v1", 60, draw_vllm_v1},           EngineDraw{"orca", 10, draw_reserving},
    EngineDraw{"static-batch", 10, draw_static_batch}, EngineDraw{"vllm-v0", 30, draw_vllm_v0},
    EngineDraw{"sarathi", 15, draw_sarathi},
};

}  // namespace

void draw_scheduler(Draws& draws, const Ranges& ranges, ServerConfig& server) {
  SchedulerSpec& knobs = server.scheduler;
  knobs.max_num_seqs = draws.chance(30) ? draws.between(1, 2) : draws.between(1, ranges.num_seqs_max);
  knobs.max_num_batched_tokens = draws.chance(40) ? draws.between(1, ranges.small_budget_max)
                                                  : draws.between(ranges.small_budget_max, ranges.budget_max);
  server.max_model_len = draws.chance(30) ? draws.between(5, ranges.long_max + 5) : 4096;
  knobs.never_fits = draws.pick({NeverFits::reject, NeverFits::reject, NeverFits::hang, NeverFits::fail_after});
  if (knobs.never_fits == NeverFits::fail_after) knobs.fail_after = draws.between(1, 4);

  std::int64_t shares = 0;
  for (const EngineDraw& engine : engine_draws) shares += engine.share;
  std::int64_t drawn = draws.between(1, shares);
  for (const EngineDraw& engine : engine_draws) {
    drawn -= engine.share;
    if (drawn > 0) continue;
    knobs.engine = engine.name;
    return engine.knobs(draws, ranges, server);
  }
}

void draw_engine_requests(Draws& draws, const ServerConfig& server, std::vector<Request>& requests) {
  const PolicyChoices& policies = server.scheduler.policies;
  if (policies.queue_order == "priority" || policies.victim == "lowest-priority") {
    const std::int64_t levels = draws.pick({1, 2, 3, 10});
    for (Request& request : requests) request.priority = draws.between(0, levels - 1);
  }
}

}  // namespace decodesim::tests
