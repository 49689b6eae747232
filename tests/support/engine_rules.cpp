#include "tests/support/engine_rules.hpp"

namespace decodesim::tests {

EngineRules rules_of(const ServerConfig& server) {
  const std::string& engine = server.scheduler.engine;
  if (engine == "vllm-v1") {
    return {.in_admission_order = true,
            .evicts_last_admitted = true,
            .victims_to_head = true,
            .first_come_first = true,
            .evicts_or_admits = true,
            .exact_tables = true,
            .has_tables = true,
            .own_blocks = true,
            .within_budget = true,
            .exact_limit = true,
            .late_endings = server.scheduler.async};
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
  return {};
}

}  // namespace decodesim::tests
