#include "tests/support/draw_engine.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "sim/serving/policy_table.hpp"
#include "sim/workload/content.hpp"

namespace decodesim::tests {

namespace {

void draw_predictor(Draws& draws, SchedulerSpec& knobs) {
  knobs.predictor.kind =
      draws.pick({PredictorKind::oracle, PredictorKind::lognormal, PredictorKind::buckets, PredictorKind::max_tokens});
  if (knobs.predictor.kind == PredictorKind::lognormal)
    knobs.predictor.sigma = static_cast<double>(draws.between(0, 8)) / 4;
}

/// A token off for each so many typical steps of some cost model or other.
void draw_ageing(Draws& draws, SchedulerSpec& knobs) {
  if (draws.chance(50)) return;
  knobs.ageing =
      draws.pick<Duration>({std::chrono::microseconds(1), std::chrono::microseconds(300), std::chrono::milliseconds(5),
                            std::chrono::milliseconds(40), std::chrono::seconds(1), std::chrono::seconds(7)});
}

/// What the policies of this scheduler read beside their names.
void draw_policy_knobs(Draws& draws, SchedulerSpec& knobs) {
  if (goes_by_length(knobs)) {
    draw_predictor(draws, knobs);
    draw_ageing(draws, knobs);
  }
  if (admission_of(knobs) == "ratio-weighted") knobs.admission_ratio = static_cast<double>(draws.between(0, 20)) / 20;
  if (queue_order_of(knobs) != "fair") return;
  knobs.fair.input_price = static_cast<double>(draws.between(0, 4)) / 2;
  knobs.fair.output_price = static_cast<double>(draws.between(0, 8)) / 2;
  for (const char* tenant : {"anna", "bert"}) {
    if (draws.chance(40)) knobs.fair.weights.push_back({tenant, static_cast<double>(draws.between(1, 12)) / 4});
  }
}

/// Half of the servers are vLLM's own, the others a mixture.
void draw_policies(Draws& draws, SchedulerSpec& knobs) {
  PolicyChoices& policies = knobs.policies;
  if (draws.chance(50)) return;
  if (draws.chance(50))
    policies.queue_order = draws.pick({"priority", "sjf", "srpt", "deadline", "random", "fair", "longest-prefix"});
  const auto pick = [&](std::string_view axis) {
    std::vector<std::string_view> names = policy_names(axis);
    std::erase_if(
        names, [&](std::string_view name) { return !engine_takes(*find_engine("vllm-v1"), *find_policy(axis, name)); });
    return std::string(names[static_cast<std::size_t>(draws.between(0, static_cast<std::int64_t>(names.size()) - 1))]);
  };
  if (draws.chance(60)) policies.victim = pick("victim");
  if (draws.chance(40)) {
    policies.admission =
        draws.pick({"whole-sequence", "first-chunk", "prompt-and-max", "ratio-weighted", "peak-estimate"});
  }
  if (policies.admission) knobs.reserve_full_isl = true;  // not read beside it
  if (draws.chance(50))
    policies.destination = policies.queue_order ? "by-key" : draws.pick({"head", "tail", "same-place"});
  if (draws.chance(40)) policies.after_eviction = pick("after_eviction");
  draw_policy_knobs(draws, knobs);
  if (policies.queue_order == "longest-prefix") return;  // prefix caching goes with no swapping
  if (draws.chance(40)) policies.kv_fate = draws.pick({"dropped", "swapped", "swapped", "cheaper"});
}

/// Drafts, where the server can have them: few or many, by one chance or by position.
void draw_speculation(Draws& draws, SchedulerSpec& knobs) {
  if (knobs.async || may_swap(knobs) || !draws.chance(45)) return;
  std::int64_t most = knobs.max_num_batched_tokens - 1;
  if (knobs.long_prefill_token_threshold > 0) most = std::min(most, knobs.long_prefill_token_threshold - 1);
  if (most < 1) return;
  SpeculativeSpec& speculative = knobs.speculative;
  speculative.draft_tokens = draws.between(1, std::min<std::int64_t>(most, draws.chance(80) ? 5 : 20));
  if (draws.chance(60)) {
    speculative.acceptance = draws.pick({0.0, 0.3, 0.62, 0.7, 0.8, 0.95, 1.0});
  } else {
    for (std::int64_t i = 0; i < speculative.draft_tokens; ++i)
      speculative.acceptance_by_position.push_back(static_cast<double>(draws.between(0, 20)) / 20);
  }
  if (!draws.chance(40)) return;
  speculative.draft = DraftKind::head;
  speculative.head_layers = static_cast<int>(draws.between(1, 3));
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
  const bool swaps = knobs.policies.kv_fate && *knobs.policies.kv_fate != "dropped";
  // A victim's KV stays findable, or goes to the host.
  server.prefix_caching = !swaps && (knobs.policies.queue_order == "longest-prefix" || draws.chance(50));
  if (server.prefix_caching) server.uncached_free_to_front = draws.chance(70);
  draw_speculation(draws, knobs);
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

void draw_sglang(Draws& draws, const Ranges& ranges, ServerConfig& server) {
  SglangKnobs& knobs = server.scheduler.sglang;
  knobs.chunked_prefill_size =
      draws.chance(30) ? 0 : draws.between(16, draws.chance(50) ? 24 : ranges.budget_max);  // at least a page
  if (draws.chance(40)) knobs.max_prefill_tokens = draws.between(1, ranges.budget_max);
  server.scheduler.async = draws.chance(40);
  knobs.enable_mixed_chunk = draws.chance(50);
  knobs.schedule_conservativeness = draws.pick({0.0, 0.05, 0.3, 1.0, 1.0, 3.0});
  knobs.disable_radix_cache = draws.chance(40);
  knobs.schedule_policy = draws.pick({SglangOrder::fcfs, SglangOrder::fcfs, SglangOrder::lof, SglangOrder::random});
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

/// Watermark and how prompts reach the server, for engines that take whole prompts' blocks.
void draw_whole_prompts(Draws& draws, ServerConfig& server) {
  if (draws.chance(60)) server.scheduler.watermark = static_cast<double>(draws.between(1, 30)) / 100;
  if (draws.chance(20)) {
    server.serving.prefill = PrefillMode::arrives_computed;
    if (draws.chance(50)) server.serving.after_preemption = AfterPreemption::refetch;
  }
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

void draw_chunked(Draws& draws, const Ranges&, ServerConfig& server) {
  server.scheduler.long_prefill_token_threshold = draws.chance(50) ? 0 : draws.pick<std::int64_t>({1, 4, 7, 16});
  draw_policy_knobs(draws, server.scheduler);
  if (draws.chance(20)) server.serving.prefill = PrefillMode::arrives_computed;
}

void draw_srpt(Draws& draws, const Ranges&, ServerConfig& server) {
  draw_policy_knobs(draws, server.scheduler);
  if (draws.chance(20)) server.serving.prefill = PrefillMode::arrives_computed;
}

void draw_mlfq(Draws& draws, const Ranges& ranges, ServerConfig& server) {
  MlfqKnobs& knobs = server.scheduler.mlfq;
  knobs.quantum =
      draws.pick<Duration>({std::chrono::microseconds(150), std::chrono::microseconds(700),
                            std::chrono::milliseconds(10), std::chrono::seconds(1), std::chrono::seconds(3)});
  knobs.growth = draws.between(2, 4);
  knobs.starvation_limit = knobs.quantum * draws.between(0, 20);
  knobs.starvation_check = draws.pick<std::int64_t>({1, 3, 10, 1000});
  if (draws.chance(40)) knobs.free_blocks = draws.between(1, ranges.blocks_max);
  if (draws.chance(20)) server.serving.prefill = PrefillMode::arrives_computed;
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
  server.prefix_caching = !may_swap(knobs) && draws.chance(70);
  if (server.prefix_caching) server.uncached_free_to_front = draws.chance(70);
}

void draw_sarathi(Draws& draws, const Ranges& ranges, ServerConfig& server) {
  SchedulerSpec& knobs = server.scheduler;
  SarathiKnobs& own = knobs.sarathi;
  if (draws.chance(40)) own.batching = SarathiBatching::in_turn;
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
    EngineDraw{"vllm-v1", 60, draw_vllm_v1},
    EngineDraw{"orca", 10, draw_reserving},
    EngineDraw{"static-batch", 10, draw_static_batch},
    EngineDraw{"trtllm-guaranteed-no-evict", 8, draw_trtllm},
    EngineDraw{"trtllm-max-utilization", 15, draw_trtllm},
    EngineDraw{"trtllm-static-batch", 5, draw_trtllm},
    EngineDraw{"sjf", 5, draw_chunked},
    EngineDraw{"vtc", 8, draw_chunked},
    EngineDraw{"srpt", 10, draw_srpt},
    EngineDraw{"mlfq", 12, draw_mlfq},
    EngineDraw{"sglang", 40, draw_sglang},
    EngineDraw{"vllm-v0", 30, draw_vllm_v0},
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
  if (server.scheduler.engine.starts_with("trtllm-") && draws.chance(50)) {
    for (Request& request : requests) request.priority = draws.between(0, 3);
  }
  const std::string_view order = queue_order_of(server.scheduler);
  if (order == "fair") {
    const std::int64_t tenants = draws.between(1, 4);
    for (Request& request : requests) {
      const auto tenant = static_cast<std::size_t>(draws.between(1, tenants)) - 1;
      request.tenant = std::array{"anna", "bert", "carl", ""}[tenant];
    }
  }
  if (order == "deadline") {
    for (Request& request : requests) {
      if (draws.chance(75)) request.deadline = Duration(draws.between(0, 20) * draws.pick({1'000'000, 700'000'000}));
    }
  }
  const bool reuses = server.scheduler.engine.starts_with("trtllm-") && server.scheduler.trtllm.enable_block_reuse;
  if (server.prefix_caching || reuses) draw_content(draws, requests);
}

}  // namespace decodesim::tests
