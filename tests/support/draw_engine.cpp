#include "tests/support/draw_engine.hpp"

#include <algorithm>
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

void draw_sglang(Draws& draws, const Ranges& ranges, ServerConfig& server) {
  SglangKnobs& knobs = server.scheduler.sglang;
  knobs.chunked_prefill_size =
      draws.chance(30) ? 0 : draws.between(16, draws.chance(50) ? 24 : ranges.budget_max);  // at least a page
  if (draws.chance(40)) knobs.max_prefill_tokens = draws.between(1, ranges.budget_max);
  knobs.enable_mixed_chunk = draws.chance(50);
  knobs.schedule_conservativeness = draws.pick({0.0, 0.05, 0.3, 1.0, 1.0, 3.0});
  knobs.disable_radix_cache = draws.chance(40);
  const auto free_orders = {SglangOrder::fcfs, SglangOrder::fcfs, SglangOrder::lof, SglangOrder::random};
  knobs.schedule_policy = draws.pick(free_orders);
  if (!knobs.disable_radix_cache && draws.chance(50))
    knobs.schedule_policy = draws.pick({SglangOrder::lpm, SglangOrder::dfs_weight});
  knobs.enable_priority_scheduling = draws.chance(40);
  if (knobs.enable_priority_scheduling) knobs.priority_scheduling_preemption_threshold = draws.between(0, 3);
  if (draws.chance(30)) knobs.retraction_policy = SglangRetraction::priority;
  if (draws.chance(30)) knobs.retract_target = SglangRetractTarget::k_steps;
  if (draws.chance(50)) knobs.retract_decode_steps = draws.between(0, 8);
  if (draws.chance(30)) knobs.clip_max_new_tokens = draws.between(1, 30);
  if (draws.chance(30)) knobs.new_token_ratio_decay_steps = draws.between(1, 30);
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

/// Every engine with what draws its knobs, and its share of the scenarios.
struct EngineDraw {
  const char* name;
  std::int64_t share;
  void (*knobs)(Draws& draws, const Ranges& ranges, ServerConfig& server);
};
constexpr std::array engine_draws{
    EngineDraw{"vllm-v1", 60, draw_vllm_v1},
    EngineDraw{"orca", 10, draw_reserving},
    EngineDraw{"static-batch", 10, draw_static_batch},
    EngineDraw{"sglang", 40, draw_sglang},
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

/// What a prompt begins with: blocks of few kinds, the last of which its end may cut.
void draw_content(Draws& draws, std::int64_t block, Request& request) {
  const std::int64_t most = (request.input_tokens + block - 1) / block;
  const std::int64_t blocks = draws.chance(30) ? most : draws.between(0, most);
  std::uint64_t id = 0;
  for (std::int64_t i = 0; i < blocks; ++i) {
    id = draws.chance(85) ? id + 1 : static_cast<std::uint64_t>(draws.between(1, 5));
    request.content.push_back({id, std::min(block, request.input_tokens - i * block)});
  }
  if (draws.chance(5)) request.cache_salt = "salt";
  request.no_prefix_read = draws.chance(5);
}

void draw_sglang_requests(Draws& draws, const SglangKnobs& knobs, std::vector<Request>& requests) {
  const std::int64_t ignoring = draws.pick({0, 0, 30, 100});
  const bool ranked = draws.chance(50);
  const bool alike = !knobs.disable_radix_cache && draws.chance(80);
  const std::int64_t block = draws.pick<std::int64_t>({1, 2, 3, 8});
  for (Request& request : requests) {
    request.ignore_eos = draws.chance(ignoring);
    if (request.ignore_eos) request.output_tokens = request.max_tokens;
    if (ranked) request.priority = draws.between(0, 8);
    if (alike) draw_content(draws, block, request);
  }
}

void draw_engine_requests(Draws& draws, const ServerConfig& server, std::vector<Request>& requests) {
  if (server.scheduler.engine == "sglang") draw_sglang_requests(draws, server.scheduler.sglang, requests);
  const PolicyChoices& policies = server.scheduler.policies;
  if (policies.queue_order == "priority" || policies.victim == "lowest-priority") {
    const std::int64_t levels = draws.pick({1, 2, 3, 10});
    for (Request& request : requests) request.priority = draws.between(0, levels - 1);
  }
}

}  // namespace decodesim::tests
