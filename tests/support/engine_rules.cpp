#include "tests/support/engine_rules.hpp"

#include "sim/serving/policy_table.hpp"

namespace decodesim::tests {

namespace {

EngineRules rules_of_vllm_v1(const ServerConfig& server) {
  const PolicyChoices& chosen = server.scheduler.policies;
  const std::string order = chosen.queue_order.value_or("fcfs");
  const std::string victim = chosen.victim.value_or(order == "priority" ? "lowest-priority" : "last-admitted");
  const std::string destination = chosen.destination.value_or(order == "fcfs" ? "head" : "by-key");
  const bool own_order = order == "fcfs" && victim == "last-admitted" && destination == "head";
  const bool admits_on = chosen.after_eviction == "admit";
  const bool drops = chosen.kv_fate.value_or("dropped") == "dropped";  // who swaps in may come behind who came later
  return {.in_admission_order = !admits_on,
          .evicts_last_admitted = victim == "last-admitted",
          .victim = victim,
          .may_cycle = !own_order || admits_on || server.scheduler.defer_frees || server.scheduler.drop_in_flight,
          .victims_to_head = destination == "head",
          .victims_to_tail = destination == "tail",
          .victims_by_rank = destination == "same-place",
          .by_priority = order == "priority",
          .takes_head = order == "fcfs" || order == "priority",
          .first_come_first = order == "fcfs" && drops && (own_order || destination == "same-place"),
          .evicts_or_admits = !admits_on,
          .exact_tables = !server.scheduler.speculative.on(),
          .exact_slots = server.scheduler.speculative.on(),
          .has_tables = true,
          .own_blocks = true,
          .caches_prefixes = server.prefix_caching,
          .hashes_ahead = server.prefix_caching,
          .within_budget = true,
          .exact_limit = !admits_on};
}

EngineRules rules_of_vllm_v0(const ServerConfig& server) {
  const SchedulerSpec& knobs = server.scheduler;
  const bool chunks = knobs.enable_chunked_prefill;
  const bool drops = !may_swap(knobs);
  return {.by_arrival = true,
          .evicts_last_admitted = !chunks,
          .victim = chunks ? "" : "latest-arrival",
          .stalls = true,
          .gives_up = true,
          .victims_to_head = true,
          .takes_head = !chunks && drops,
          .first_come_first = !chunks && drops,
          .evicts_or_admits = !chunks,
          .exact_tables = !chunks,
          .has_tables = true,
          .own_blocks = true,
          .caches_prefixes = server.prefix_caching,
          .merges_blocks = server.prefix_caching,
          .within_budget = chunks};
}

EngineRules rules_of_sarathi(const ServerConfig& server) {
  const bool in_turn = server.scheduler.sarathi.batching == SarathiBatching::in_turn;
  return {.by_arrival = true,
          .evicts_last_admitted = true,
          .victim = "latest-arrival",
          .stalls = true,
          .victims_to_head = true,
          .takes_head = true,
          .first_come_first = true,
          .has_tables = true,
          .own_blocks = true,
          .prompts_or_tokens = in_turn};
}

}  // namespace

EngineRules rules_of(const ServerConfig& server) {
  const std::string& engine = server.scheduler.engine;
  if (engine == "vllm-v1") {
    EngineRules rules = rules_of_vllm_v1(server);
    rules.late_endings = server.scheduler.async;
    return rules;
  }
  if (engine == "orca" || engine == "static-batch") {
    const bool blocks = server.scheduler.reservation == Reservation::blocks;
    // What a finished sequence holds until its batch ends is in nobody's table any more.
    const bool holds =
        engine == "static-batch" && server.scheduler.finished_slots == FinishedSlots::hold_until_batch_end;
    return {.in_admission_order = true,
            .first_come_first = true,
            .evicts_or_admits = true,
            .has_tables = blocks && !holds,
            .own_blocks = blocks && !holds};
  }
  if (engine.starts_with("trtllm-")) {
    // A prompt in chunks holds its memory while one that stands before it waits for the same: neither goes on.
    const bool cuts = server.scheduler.trtllm.context_chunking_policy != ChunkPolicy::none;
    return {.has_tables = true,
            .own_blocks = true,
            .caches_prefixes = server.scheduler.trtllm.enable_block_reuse,
            .finds_parts = server.scheduler.trtllm.enable_partial_reuse,
            .within_budget = true,
            .holds_beyond_limit = cuts,
            .urgent_first = engine == "trtllm-max-utilization",
            .may_stand_still = cuts};
  }
  if (engine == "sjf" || engine == "vtc") {
    return {.in_admission_order = true,
            .never_evicts = true,
            .exact_tables = true,
            .has_tables = true,
            .own_blocks = true,
            .within_budget = true,
            .exact_limit = true};
  }
  if (engine == "srpt" || engine == "mlfq") {
    return {.exact_tables = true, .has_tables = true, .own_blocks = true, .takes_turns = true};
  }
  if (engine == "sglang") {
    const SglangKnobs& knobs = server.scheduler.sglang;
    // Where chunks end at pages, a chunk of less than a page starts nobody, and so may what decodes leave of one.
    return {.stalls = true,
            .evicts_or_admits = !knobs.enable_priority_scheduling,
            .may_stand_still = knobs.chunked_prefill_size > 0 && server.block_size > 1,
            .late_endings = server.scheduler.async,
            .late_tokens = server.scheduler.async,
            .has_radix_tree = !knobs.disable_radix_cache,
            .prompts_or_tokens = !knobs.enable_mixed_chunk,
            .all_decode = true};
  }
  if (engine == "vllm-v0") return rules_of_vllm_v0(server);
  if (engine == "sarathi") return rules_of_sarathi(server);
  return {};
}

}  // namespace decodesim::tests
