#include "sim/scenario/prefix_checks.hpp"

#include <string>

#include "sim/serving/policy_table.hpp"

namespace decodesim {

namespace {

constexpr const char* two_ways =
    " contradicts 'memory.prefix_caching: true': a victim's KV is moved to the host, or its full blocks stay findable "
    "where "
    "they are";

// Swapping is chosen by the fate of KV, or by vLLM V0's own mode.
void check_swapping(Reading& reading, const DocumentNode& tree, const SchedulerSpec& scheduler) {
  if (!may_swap(scheduler)) return;
  const bool chosen = scheduler.policies.kv_fate.has_value();
  const std::string key = chosen ? "kv_fate" : "preemption_mode";
  const std::string value = chosen ? *scheduler.policies.kv_fate : "swap";
  reading.error(place_of(tree, "scheduler." + key), "contradiction",
                "'scheduler." + key + ": " + value + "'" + two_ways, "remove one of the two");
}

}  // namespace

void check_prefix_caching(Reading& reading, const DocumentNode& tree, const SchedulerSpec& scheduler,
                          const MemorySpec& memory) {
  if (!memory.prefix_caching) {
    if (scheduler.policies.queue_order != "longest-prefix") return;
    reading.error(place_of(tree, "scheduler.queue_order"), "contradiction",
                  "'scheduler.queue_order: longest-prefix' goes by what requests find in the prefix cache, but "
                  "'memory.prefix_caching' is off: all would find nothing",
                  "write 'memory: {prefix_caching: true}', or choose another 'queue_order'");
    return;
  }
  if (!engine_reads(scheduler.engine, "prefix_caching")) {
    reading.error(place_of(tree, "memory.prefix_caching"), "unsupported",
                  "'memory.prefix_caching' has no effect on engine '" + scheduler.engine + "'",
                  "write 'prefix_caching: false'");
    return;
  }
  check_swapping(reading, tree, scheduler);
  const bool cuts_to_blocks = scheduler.engine == "vllm-v0" && scheduler.enable_chunked_prefill;
  if (cuts_to_blocks && scheduler.max_num_batched_tokens < memory.block_size) {
    reading.error(
        place_of(tree, "scheduler.max_num_batched_tokens"), "contradiction",
        "'scheduler.max_num_batched_tokens' is below 'memory.block_size' (" + std::to_string(memory.block_size) +
            "): with prefix caching a chunk that is cut is whole blocks, so no longer prompt would ever start",
        "raise max_num_batched_tokens, or set memory.prefix_caching: false");
  }
}

}  // namespace decodesim
