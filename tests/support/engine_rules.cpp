#include "tests/support/engine_rules.hpp"

namespace decodesim::tests {

namespace {

EngineRules rules_of_vllm_v1(const ServerConfig& server) {
  const PolicyChoices& chosen = server.scheduler.policies;
  const bool by_priority = chosen.queue_order == "priority";
  const std::string victim = chosen.victim.value_or(by_priority ? "lowest-priority" : "last-admitted");
  const std::string destination = chosen.destination.value_or(by_priority ? "by-key" : "head");
  const bool own_order = !by_priority && victim == "last-admitted" && destination == "head";
  const bool admits_on = chosen.after_eviction == "admit";
  return {.in_admission_order = !admits_on,
          .evicts_last_admitted = victim == "last-admitted",
          .victim = victim,
          .may_cycle = !own_order || admits_on,
          .victims_to_head = destination == "head",
          .victims_to_tail = destination == "tail",
          .victims_by_rank = destination == "same-place",
          .by_priority = by_priority,
          .takes_head = true,
          .first_come_first = !by_priority && (own_order || destination == "same-place"),
          .evicts_or_admits = !admits_on,
          .exact_tables = true,
          .has_tables = true,
          .own_blocks = true,
          .caches_prefixes = server.prefix_caching,
          .within_budget = true,
          .exact_limit = !admits_on};
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
  return {};
}

}  // namespace decodesim::tests
