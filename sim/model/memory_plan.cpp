#include "sim/model/memory_plan.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "sim/core/check.hpp"
#include "sim/core/rounding.hpp"
#include "sim/model/kv_cache.hpp"
#include "sim/model/pipeline.hpp"
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

PlanError no_room(const MemoryPlan& plan, const ParallelSpec& parallel, const PrecisionSpec& precision,
                  const MemorySpec& memory) {
  const bool weights_alone = plan.weight_shard > plan.usable;
  const Bytes outside = plan.request_table + plan.states;
  std::string message = "no memory is left for the KV cache: of " + in_words(plan.usable) +
                        " usable a GPU the weights take " + in_words(plan.weight_shard) +
                        (plan.draft_shard > Bytes(0) ? ", those of the draft " + in_words(plan.draft_shard) : "") +
                        " and the runtime " + in_words(plan.runtime_overhead) +
                        (outside > Bytes(0) ? " and tables and states " + in_words(outside) : "") + ", " +
                        in_words(Bytes(0) - plan.pool) + " too much; ";
  if (weights_alone && memory.weights) return {"memory.weights", message + "lower memory.weights"};
  // Stated weights depend neither on their format nor on the ranks.
  const std::string smaller = memory.weights ? "" : smaller_formats(precision.weights, "weights", "precision.weights");
  if (weights_alone) return {"parallel.tp", message + more_gpus(parallel) + smaller};
  return {"memory.utilization", message + "raise memory.utilization, lower memory.runtime_overhead" +
                                    (plan.states > Bytes(0) ? " or memory.state_slots" : "") + ", or " +
                                    more_gpus(parallel) + smaller};
}

PlanError too_small(const MemoryPlan& plan, const ParallelSpec& parallel, const PrecisionSpec& precision,
                    const MemorySpec& memory) {
  const std::string room = memory.kv_cache
                               ? "raise memory.kv_cache"
                               : "raise memory.utilization, lower memory.runtime_overhead, or " + more_gpus(parallel);
  return {memory.kv_cache ? "memory.kv_cache" : "memory.utilization",
          "the " + in_words(plan.pool) + " left for the KV cache do not hold one block of " +
              std::to_string(plan.block_size) + " tokens (" + in_words(plan.block_bytes) + "); " + room +
              smaller_formats(precision.kv_cache, "KV cache", "precision.kv_cache")};
}

// As long as a context can be; blocks of more tokens could overflow their count.
constexpr std::int64_t longest_block = 1'000'000'000;

PlanError too_long(const MemoryPlan& plan, bool states) {
  return {states ? "memory.state_slots" : "memory.window_layers",
          "pages of one size for all kinds of layers would make blocks of " +
              std::to_string(std::max(plan.block_size, plan.window_block_size)) + " tokens, and the most is " +
              std::to_string(longest_block) +
              (states ? "; keep the states outside of them with memory.state_slots" : "; write as_full")};
}

/// How layers lie in blocks, on one stage.
struct BlockShape {
  LayerGroups groups;
  std::int64_t block_size = 0;
  std::int64_t window_block_size = 0;
  Bytes block_bytes;
};

BlockShape shape_blocks(const ModelSpec& model, LayerKinds kinds, const PrecisionSpec& precision, int tp,
                        const MemorySpec& memory) {
  const KvPageBytes token = kv_page_bytes_per_token(model, precision.kv_cache, tp);
  const std::int64_t size = memory.block_size;
  const auto page = [](Bytes one, std::int64_t tokens) { return one * static_cast<double>(tokens); };
  const bool apart = kinds.window > 0 && memory.window_layers == WindowBlocks::apart;
  const bool states = kinds.state > 0 && !memory.state_slots;
  if (!apart && !states) {
    const Bytes all = token.full * static_cast<double>(kinds.full) + token.window * static_cast<double>(kinds.window);
    return {{1, 0, 0, kinds.full + kinds.window}, size, size, page(all, size)};
  }
  BlockShape shape{group_layers({kinds.full, kinds.window, states ? kinds.state : 0}), size, size, Bytes(0)};
  if (states) {
    shape.block_size = block_size_for_state(model.linear.state / static_cast<double>(tp), token.full, size);
    shape.window_block_size = shape.block_size;
    shape.block_bytes = page(token.full, shape.block_size) * static_cast<double>(shape.groups.layers);
    return shape;
  }
  // Pages of one size serve both kinds: where a token of one takes less, its block holds more of them, if evenly.
  const Bytes larger = kinds.full > 0 ? std::max(token.full, token.window) : token.window;
  const auto more_tokens = [&](Bytes own) {
    const double times = larger / own;
    return times == std::floor(times) ? size * static_cast<std::int64_t>(times) : size;
  };
  shape.block_size = more_tokens(token.full);
  shape.window_block_size = more_tokens(token.window);
  shape.block_bytes = page(larger, size) * static_cast<double>(shape.groups.layers);
  return shape;
}

/// The entries of sglang's table are of 32 bits; it has a row more than sequences, and four places more than tokens.
Bytes request_table(const ServerLimits& limits) {
  return Bytes(4.0 * static_cast<double>(limits.max_num_seqs + 1) * static_cast<double>(limits.max_model_len + 4));
}

/// What does not depend on the stage.
void set_budget(MemoryPlan& plan, const ModelSpec& model, const GpuSpec& gpu, const ParallelSpec& parallel,
                const MemorySpec& memory, const ServerLimits& limits) {
  plan.capacity = memory.capacity == MemoryCapacity::as_sold ? gpu.memory_sold : gpu.memory_reported;
  const bool all = memory.accounting == Accounting::trtllm;
  plan.usable = all ? plan.capacity : plan.capacity * memory.utilization;
  if (memory.runtime_overhead) {
    plan.runtime_overhead = *memory.runtime_overhead;
  } else {
    Overhead parts = overhead_of(model, gpu, parallel, memory, limits);
    plan.graphs_overflow = !memory.cuda_graphs_in_budget && !all && plan.capacity - plan.usable < parts.cuda_graphs;
    if (memory.accounting == Accounting::sglang) parts.activation_peak = parts.cuda_graphs = Bytes(0);
    if (!memory.cuda_graphs_in_budget) parts.cuda_graphs = Bytes(0);
    plan.parts = parts;
    plan.runtime_overhead = parts.activation_peak + parts.non_torch + parts.cuda_graphs;
  }
  if (memory.accounting == Accounting::sglang) plan.request_table = request_table(limits);
}

Bytes weights_of(const ModelSpec& model, const PipelineStage& stage, const ParallelSpec& parallel,
                 const PrecisionSpec& precision, const MemorySpec& memory) {
  if (memory.weights) return *memory.weights;
  const Bytes all = parallel.pp == 1 ? weight_bytes(model, precision)
                                     : stage_weight_bytes(model, precision, stage.layers, stage.first, stage.last);
  return all / static_cast<double>(parallel.tp);
}

Blocks blocks_in(Bytes pool, Bytes block, const MemorySpec& memory) {
  const double blocks = pool / block;
  const bool up = memory.accounting == Accounting::trtllm;
  return Blocks(pool.value() <= 0 ? 0 : static_cast<std::int64_t>(up ? std::ceil(blocks) : std::floor(blocks)));
}

/// Sets the terms that depend on the stage; `stage` becomes the plan's own if none before it had fewer blocks.
void plan_stage(MemoryPlan& plan, const ModelSpec& model, const PipelineStage& stage, const ParallelSpec& parallel,
                const PrecisionSpec& precision, const MemorySpec& memory, const DraftShare& draft) {
  BlockShape shape = shape_blocks(model, stage.kinds, precision, parallel.tp, memory);
  shape.block_bytes += draft.kv_per_token * static_cast<double>(shape.block_size);
  StagePlan own{stage.layers, weights_of(model, stage, parallel, precision, memory), Bytes(0), shape.block_bytes,
                Blocks(0)};
  const Bytes states = memory.state_slots
                           ? model.linear.state * (static_cast<double>(stage.kinds.state) *
                                                   static_cast<double>(*memory.state_slots) / parallel.tp)
                           : Bytes(0);
  own.pool = plan.usable - own.weights - plan.draft_shard - plan.runtime_overhead - plan.request_table - states;
  if (memory.accounting == Accounting::trtllm && own.pool > Bytes(0)) own.pool = own.pool * memory.utilization;
  if (memory.kv_cache) own.pool = *memory.kv_cache;
  // A stage whose layers keep states alone holds any number of blocks, if it has room for the rest.
  own.num_blocks = shape.block_bytes.value() > 0 || own.pool <= Bytes(0)
                       ? blocks_in(own.pool, shape.block_bytes, memory)
                       : Blocks(std::numeric_limits<std::int64_t>::max());
  plan.stages.push_back(own);
  const StagePlan& bound = plan.stages[plan.stage];
  const bool fewer = own.num_blocks < bound.num_blocks || (own.num_blocks == bound.num_blocks && own.pool < bound.pool);
  if (plan.stages.size() > 1 && !fewer) return;
  plan.stage = plan.stages.size() - 1;
  plan.weight_shard = own.weights;
  plan.states = states;
  plan.pool = own.pool;
  plan.block_bytes = own.block_bytes;
  plan.num_blocks = own.num_blocks;
  plan.groups = shape.groups;
  plan.block_size = shape.block_size;
  plan.window_block_size = shape.window_block_size;
  plan.window = shape.groups.window > 0 ? model.window.size.value() : 0;
}

}  // namespace

std::int64_t MemoryPlan::blocks_of(std::int64_t length, std::int64_t chunk) const {
  const std::int64_t of_window = window > 0 ? window_blocks(length, window, chunk, window_block_size) : 0;
  return groups.full * ceil_div(length, block_size) + groups.window * of_window + groups.state;
}

std::variant<MemoryPlan, PlanError> plan_memory(const ModelSpec& model, const GpuSpec& gpu,
                                                const ParallelSpec& parallel, const PrecisionSpec& precision,
                                                const MemorySpec& memory, const ServerLimits& limits,
                                                const DraftShare& draft) {
  check(parallel.tp >= 1 && memory.block_size >= 1, "memory was planned before its Specs were resolved");
  if (parallel.pp > model.layers) {
    return PlanError{"parallel.pp", "the model's " + std::to_string(model.layers) + " layers do not fill " +
                                        std::to_string(parallel.pp) + " pipeline stages"};
  }
  MemoryPlan plan;
  set_budget(plan, model, gpu, parallel, memory, limits);
  plan.draft_shard = draft.weights;
  for (const PipelineStage& stage : pipeline_stages(model, parallel.pp))
    plan_stage(plan, model, stage, parallel, precision, memory, draft);
  if (std::max(plan.block_size, plan.window_block_size) > longest_block)
    return too_long(plan, model.has_states() && !memory.state_slots);
  plan.pool_given = memory.kv_cache.has_value();
  plan.blocks_given = memory.num_gpu_blocks || memory.num_gpu_tokens;
  if (memory.num_gpu_blocks) {
    plan.num_blocks = Blocks(*memory.num_gpu_blocks);
  } else if (memory.num_gpu_tokens) {
    plan.num_blocks = Blocks(*memory.num_gpu_tokens / plan.block_size * plan.groups.count());
    if (plan.num_blocks < Blocks(1)) {
      return PlanError{"memory.num_gpu_tokens", std::to_string(*memory.num_gpu_tokens) +
                                                    " tokens do not fill one block of " +
                                                    std::to_string(plan.block_size)};
    }
  } else {
    if (plan.pool <= Bytes(0)) return no_room(plan, parallel, precision, memory);
    if (plan.num_blocks < Blocks(1)) return too_small(plan, parallel, precision, memory);
  }
  // What a log prints divides the blocks among the groups, as if each took as many of them.
  plan.tokens = Tokens(plan.num_blocks.value() / plan.groups.count() * plan.block_size);
  return plan;
}

std::optional<std::string> start_objection(const MemoryPlan& plan, std::int64_t max_model_len,
                                           std::int64_t max_num_batched_tokens) {
  if (max_model_len == 0) return std::nullopt;
  const std::int64_t needed = plan.blocks_of(max_model_len, max_num_batched_tokens);
  if (needed <= plan.num_blocks.value()) return std::nullopt;
  return "the pool has " + std::to_string(plan.tokens.value()) +
         " tokens as a server counts them, fewer than one sequence of max_model_len " + std::to_string(max_model_len);
}

std::int64_t longest_sequence(const MemoryPlan& plan, std::int64_t asked, std::int64_t chunk) {
  std::int64_t fits = 0;
  std::int64_t too_long = asked + 1;
  while (too_long - fits > 1) {
    const std::int64_t middle = fits + (too_long - fits) / 2;
    (plan.blocks_of(middle, chunk) <= plan.num_blocks.value() ? fits : too_long) = middle;
  }
  return fits;
}

}  // namespace decodesim
