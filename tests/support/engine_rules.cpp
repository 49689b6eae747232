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
            .exact_limit = true};
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
            .within_budget = true,
            .holds_beyond_limit = cuts,
            .urgent_first = engine == "trtllm-max-utilization",
            .may_stand_still = cuts};
  }
  return {};
}

}  // namespace decodesim::tests
