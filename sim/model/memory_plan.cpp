#include "sim/model/memory_plan.hpp"

#include <array>
#include <charconv>
#include <cmath>

#include "sim/core/check.hpp"
#include "sim/model/kv_cache.hpp"
#include "sim/model/weights.hpp"

namespace decodesim {

namespace {

/// Bytes as an error message shows them: gigabytes with two decimals, or plain bytes below ten megabytes.
std::string in_words(Bytes bytes) {
  const bool small = std::fabs(bytes.value()) < 1e7;
  std::array<char, 400> room;
  const double shown = small ? bytes.value() : bytes.value() / 1e9;
  const auto end =
      std::to_chars(room.data(), room.data() + room.size(), shown, std::chars_format::fixed, small ? 0 : 2).ptr;
  return std::string(room.data(), end) + (small ? " B" : " GB");
}

/// ", or store the weights in a smaller format (precision.weights: fp8, ...)"; nothing where there is none.
std::string smaller_formats(Precision present, const std::string& what, const std::string& key) {
  std::string names;
  for (std::size_t i = 0; i < precision_names.size(); ++i) {
    if (bytes_per_value(static_cast<Precision>(i)) >= bytes_per_value(present)) continue;
    names += (names.empty() ? "" : ", ") + std::string(precision_names[i]);
  }
  return names.empty() ? "" : ", or store the " + what + " in a smaller format (" + key + ": " + names + ")";
}

std::string more_gpus(const ParallelSpec& parallel) {
  return "take more GPUs (parallel.tp is now " + std::to_string(parallel.tp) + ")";
}

PlanError no_room(const MemoryPlan& plan, const ParallelSpec& parallel, const PrecisionSpec& precision) {
  const bool weights_alone = plan.weight_shard > plan.usable;
  std::string message = "no memory is left for the KV cache: of " + in_words(plan.usable) +
                        " usable a GPU the weights take " + in_words(plan.weight_shard) +
                        (plan.draft_shard > Bytes(0) ? ", those of the draft " + in_words(plan.draft_shard) : "") +
                        " and the runtime " + in_words(plan.runtime_overhead) + ", " + in_words(Bytes(0) - plan.pool) +
                        " too much; ";
  const std::string smaller = smaller_formats(precision.weights, "weights", "precision.weights");
  if (weights_alone) return {"parallel.tp", message + more_gpus(parallel) + smaller};
  return {"memory.utilization",
          message + "raise memory.utilization, lower memory.runtime_overhead, or " + more_gpus(parallel) + smaller};
}

PlanError too_small(const MemoryPlan& plan, const MemorySpec& memory, const ParallelSpec& parallel,
                    const PrecisionSpec& precision) {
  return {"memory.utilization", "the " + in_words(plan.pool) + " left for the KV cache do not hold one block of " +
                                    std::to_string(memory.block_size) + " tokens (" + in_words(plan.block_bytes) +
                                    "); raise memory.utilization, lower memory.runtime_overhead, or " +
                                    more_gpus(parallel) +
                                    smaller_formats(precision.kv_cache, "KV cache", "precision.kv_cache")};
}

}  // namespace

std::variant<MemoryPlan, PlanError> plan_memory(const ModelSpec& model, const GpuSpec& gpu,
                                                const ParallelSpec& parallel, const PrecisionSpec& precision,
                                                const MemorySpec& memory, const DraftShare& draft) {
  check(parallel.tp >= 1 && memory.block_size >= 1, "memory was planned before its Specs were resolved");
  MemoryPlan plan;
  plan.capacity = memory.capacity == MemoryCapacity::as_sold ? gpu.memory_sold : gpu.memory_reported;
  plan.usable = plan.capacity * memory.utilization;
  plan.weight_shard = weight_shard_bytes(model, precision.weights, parallel.tp);
  plan.draft_shard = draft.weights;
  plan.runtime_overhead = memory.runtime_overhead;
  plan.pool = plan.usable - plan.weight_shard - plan.draft_shard - plan.runtime_overhead;
  plan.block_bytes = (kv_bytes_per_token_per_rank(model, precision.kv_cache, parallel.tp) + draft.kv_per_token) *
                     static_cast<double>(memory.block_size);
  plan.blocks_given = memory.num_gpu_blocks.has_value();
  if (plan.blocks_given) {
    plan.num_blocks = Blocks(*memory.num_gpu_blocks);
  } else {
    if (plan.pool <= Bytes(0)) return no_room(plan, parallel, precision);
    plan.num_blocks = Blocks(static_cast<std::int64_t>(std::floor(plan.pool / plan.block_bytes)));
    if (plan.num_blocks < Blocks(1)) return too_small(plan, memory, parallel, precision);
  }
  plan.tokens = Tokens(plan.num_blocks.value() * memory.block_size);
  return plan;
}

}  // namespace decodesim
