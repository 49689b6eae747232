#include "tests/support/engine_rules.hpp"

namespace decodesim::tests {

namespace {

EngineRules rules_of_vllm_v1(const PolicyChoices& chosen) {
  const std::string order = chosen.queue_order.value_or("fcfs");
  const std::string victim = chosen.victim.value_or(order == "priority" ? "lowest-priority" : "last-admitted");
  const std::string destination = chosen.destination.value_or(order == "fcfs" ? "head" : "by-key");
  const bool own_order = order == "fcfs" && victim == "last-admitted" && destination == "head";
  const bool admits_on = chosen.after_eviction == "admit";
  return {.in_admission_order = !admits_on,
          .evicts_last_admitted = victim == "last-admitted",
          .victim = victim,
          .may_cycle = !own_order || admits_on,
          .victims_to_head = destination == "head",
          .victims_to_tail = destination == "tail",
          .victims_by_rank = destination == "same-place",
          .by_priority = order == "priority",
          .takes_head = order == "fcfs" || order == "priority",
          .first_come_first = order == "fcfs" && (own_order || destination == "same-place"),
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
  return {};
}

}  // namespace decodesim::tests
