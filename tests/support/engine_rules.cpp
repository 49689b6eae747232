#include "tests/support/engine_rules.hpp"

namespace decodesim::tests {

namespace {

EngineRules rules_of_vllm_v1(const PolicyChoices& chosen) {
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
          .within_budget = true,
          .exact_limit = !admits_on};
}

}  // namespace

EngineRules rules_of(const ServerConfig& server) {
  const std::string& engine = server.scheduler.engine;
  if (engine == "vllm-v1") return rules_of_vllm_v1(server.scheduler.policies);
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
  if (engine == "sglang") {
    const SglangKnobs& knobs = server.scheduler.sglang;
    return {.evicts_or_admits = !knobs.enable_priority_scheduling,
            .has_radix_tree = !knobs.disable_radix_cache,
            .prompts_or_tokens = !knobs.enable_mixed_chunk,
            .prompts_first = true,
            .all_decode = true};
  }
  return {};
}

}  // namespace decodesim::tests
