#include "tests/support/draw_engine.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "sim/serving/policy_table.hpp"
#include "sim/workload/content.hpp"

namespace decodesim::tests {

namespace {

/// Half of the servers are vLLM's own, the others a mixture.
void draw_policies(Draws& draws, SchedulerSpec& knobs) {
  PolicyChoices& policies = knobs.policies;
  if (draws.chance(50)) return;
  if (draws.chance(40)) policies.queue_order = "priority";
  const auto pick = [&](std::string_view axis) {
    std::vector<std::string_view> names = policy_names(axis);
    std::erase_if(
        names, [&](std::string_view name) { return !engine_takes(*find_engine("vllm-v1"), *find_policy(axis, name)); });
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
  knobs.async = draws.chance(40);
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
  server.prefix_caching = draws.chance(50);
  if (server.prefix_caching) server.uncached_free_to_front = draws.chance(70);
}

/// Prompts that begin alike: of few groups, or of few hash ids, so that hits are frequent.
void draw_content(Draws& draws, std::vector<Request>& requests) {
  const bool ids = draws.chance(50);
  const std::int64_t alphabet = draws.between(1, 4);
  const std::int64_t hash_block_size = draws.between(1, 12);
  const std::int64_t sharing = draws.pick({50, 90, 100});
  const std::int64_t salted = draws.pick({0, 0, 30});
  const std::int64_t not_reading = draws.pick({0, 0, 20});
  for (Request& request : requests) {
    if (draws.chance(salted)) request.cache_salt = draws.chance(50) ? "a" : "b";
    request.no_prefix_read = draws.chance(not_reading);
    if (!draws.chance(sharing)) continue;
    const std::int64_t shared = draws.chance(40) ? request.input_tokens : draws.between(1, request.input_tokens);
    if (ids) {
      request.hash_block_size = hash_block_size;
      for (std::int64_t at = 0; at < shared; at += hash_block_size)
        request.content.push_back({static_cast<std::uint64_t>(draws.chance(80) ? 0 : draws.between(0, alphabet)), 0});
    } else {
      request.prefix_group = std::string(1, static_cast<char>('a' + draws.between(1, alphabet)));
      request.prefix_tokens = shared;
    }
    state_content(request);
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

void draw_trtllm(Draws& draws, const Ranges& ranges, ServerConfig& server) {
  SchedulerSpec& knobs = server.scheduler;
  knobs.trtllm.context_chunking_policy = draws.pick(
      {ChunkPolicy::none, ChunkPolicy::first_come_first_served, ChunkPolicy::equal_progress, ChunkPolicy::force_chunk});
  if (draws.chance(30)) knobs.trtllm.max_batch_size = draws.between(1, knobs.max_num_seqs);
  if (knobs.trtllm.context_chunking_policy == ChunkPolicy::none) {
    // Prompts are computed whole, so the budget must hold the longest.
    server.max_model_len = draws.between(10, 3 * ranges.long_max / 2);
    knobs.max_num_batched_tokens = server.max_model_len + draws.between(0, 20);
  } else {
    // A unit above the budget would start nobody, ever.
    knobs.trtllm.chunk_unit = draws.between(1, std::min<std::int64_t>(8, knobs.max_num_batched_tokens));
    if (draws.chance(30)) knobs.trtllm.max_context_length = draws.between(8, 30);
  }
  if (draws.chance(20)) knobs.trtllm.max_num_tokens = knobs.max_num_batched_tokens;
  knobs.trtllm.enable_block_reuse = draws.chance(60);
  if (knobs.trtllm.enable_block_reuse) {
    knobs.trtllm.enable_partial_reuse = draws.chance(70);
    knobs.trtllm.microbatch_reuse_discount = draws.chance(70);
    if (knobs.trtllm.enable_partial_reuse) knobs.trtllm.copy_on_partial_reuse = draws.chance(50);
  }
  if (draws.chance(20)) {
    server.serving.prefill = PrefillMode::arrives_computed;
    if (draws.chance(50)) server.serving.after_preemption = AfterPreemption::refetch;
  }
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
    EngineDraw{"trtllm-guaranteed-no-evict", 8, draw_trtllm},
    EngineDraw{"trtllm-max-utilization", 15, draw_trtllm},
    EngineDraw{"trtllm-static-batch", 5, draw_trtllm},
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
  if (server.scheduler.engine.starts_with("trtllm-") && draws.chance(50)) {
    for (Request& request : requests) request.priority = draws.between(0, 3);
  }
  const bool reuses = server.scheduler.engine.starts_with("trtllm-") && server.scheduler.trtllm.enable_block_reuse;
  if (server.prefix_caching || reuses) draw_content(draws, requests);
}

}  // namespace decodesim::tests
