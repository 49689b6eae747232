#include "sim/scenario/trtllm_checks.hpp"

#include <string>

#include "sim/serving/policy_table.hpp"

namespace decodesim {

void check_trtllm(Reading& reading, const DocumentNode& tree, const SchedulerSpec& scheduler, std::int64_t block_size,
                  std::optional<std::int64_t> longest) {
  if (!engine_reads(scheduler.engine, "context_chunking_policy")) return;
  const TrtllmKnobs& knobs = scheduler.trtllm;
  const std::int64_t budget = knobs.max_num_tokens.value_or(scheduler.max_num_batched_tokens);
  const char* budget_key = knobs.max_num_tokens ? "max_num_tokens" : "max_num_batched_tokens";
  const std::string budget_is = "'scheduler." + std::string(budget_key) + "' is " + std::to_string(budget);
  if (knobs.context_chunking_policy == ChunkPolicy::none) {
    if (!longest || budget < *longest) {
      reading.error(
          place_of(tree, "scheduler.context_chunking_policy"), "contradiction",
          "where prompts are not cut each must fit one step, but " + budget_is + " and max_model_len is " +
              (longest ? std::to_string(*longest) : "not limited"),
          "choose a context_chunking_policy, lower scheduler.max_model_len, or raise " + std::string(budget_key));
    }
    return;
  }
  const std::int64_t unit = knobs.chunk_unit.value_or(block_size);
  if (unit > budget) {
    reading.error(place_of(tree, "scheduler.chunk_unit"), "contradiction",
                  "chunks are multiples of " + std::to_string(unit) + " tokens, but " + budget_is +
                      ": a longer prompt would never get one",
                  "lower scheduler.chunk_unit");
  }
  if (knobs.max_context_length && unit > *knobs.max_context_length) {
    reading.error(place_of(tree, "scheduler.max_context_length"), "contradiction",
                  "chunks are multiples of " + std::to_string(unit) +
                      " tokens, but 'scheduler.max_context_length' is " + std::to_string(*knobs.max_context_length) +
                      ": a longer prompt would never get one",
                  "lower scheduler.chunk_unit or raise max_context_length");
  }
}

}  // namespace decodesim
