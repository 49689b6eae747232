#pragma once
// How a GPU's memory is divided, and how many KV blocks that leaves.

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "sim/core/quantity.hpp"
#include "sim/hardware/gpu_spec.hpp"
#include "sim/model/deployment_spec.hpp"
#include "sim/model/layer_groups.hpp"
#include "sim/model/model_spec.hpp"
#include "sim/model/overhead.hpp"
#include "sim/model/plan_error.hpp"

namespace decodesim {

/// What proposes draft tokens takes on one rank beside the model.
struct DraftShare {
  Bytes weights{};
  Bytes kv_per_token{};  // of each token that the model caches too
};

/// The budget of a GPU on one pipeline stage.
struct StagePlan {
  int layers = 0;
  Bytes weights;  // of one rank
  Bytes pool;     // not positive only where the blocks are given
  Bytes block_bytes;
  Blocks num_blocks;
};

/// Every term of the budget of one GPU, in the order in which they are subtracted. Under `memory.accounting: vllm`
///   pool = capacity x utilization - weight shard - draft shard - runtime overhead - outside the pool;  blocks = floor(pool / block_bytes)
/// and see Accounting for the others. Ranks of a stage are alike; the stage with the fewest blocks bounds all of them, and
/// the terms are those of its GPUs.
///
/// Layers with a window have as many blocks as those that see everything, or tables of their own (`memory.window_layers`);
/// layers with a state take a block each of the same pool, unless `memory.state_slots` keeps states outside.
struct MemoryPlan {
  Bytes capacity;  // as the driver reports it, or as the datasheet sells it
  Bytes usable;    // capacity x utilization; under trtllm the capacity
  Bytes weight_shard;
  Bytes draft_shard;                   // weights of what drafts; nothing without speculation
  Bytes runtime_overhead;              // stated, or the sum of the parts that this accounting subtracts
  std::optional<Overhead> parts;       // where the overhead is not stated as one figure
  Bytes request_table;                 // sglang's
  Bytes states;                        // of `state_slots`
  Bytes pool;                          // a GPU; not positive only where the blocks are given
  Bytes block_bytes;                   // one block on one rank, the draft's KV included
  Blocks num_blocks;                   // as a server's log prints it
  Tokens tokens;                       // as a server's log prints it: as if every group of layers took as many blocks
  bool blocks_given = false;           // blocks or tokens are stated, which overrides the budget
  bool pool_given = false;             // the pool's bytes are stated
  bool graphs_overflow = false;        // CUDA graphs come on top of the budget, and what it leaves does not hold them
  LayerGroups groups;                  // one of all layers where they are not told apart
  std::int64_t block_size = 0;         // tokens a block of full attention: `memory.block_size`, or more to hold a state
  std::int64_t window_block_size = 0;  // tokens a block of windowed layers, whose pages may be smaller
  std::int64_t window = 0;             // tokens, where windowed layers have tables of their own
  std::vector<StagePlan> stages;
  std::size_t stage = 0;  // the one that bounds

  /// Blocks of one sequence of `length` tokens that is computed `chunk` tokens at a time; 1 while it decodes.
  [[nodiscard]] std::int64_t blocks_of(std::int64_t length, std::int64_t chunk) const;
  /// Sequences of `length` that the pool holds, as a server's log prints it for max_model_len: their windows are filled by
  /// steps of max_num_batched_tokens.
  [[nodiscard]] double concurrency(std::int64_t length, std::int64_t max_num_batched_tokens) const {
    return static_cast<double>(num_blocks.value()) / static_cast<double>(blocks_of(length, max_num_batched_tokens));
  }
};

/// `parallel.tp` must be resolved (at least 1). `limits` size activations and sglang's table; without them the defaults of
/// a large GPU are taken.
///
/// Errors: weights and overhead that leave nothing, a pool smaller than one block, more stages than layers, unless blocks
/// or tokens are given.
std::variant<MemoryPlan, PlanError> plan_memory(const ModelSpec& model, const GpuSpec& gpu,
                                                const ParallelSpec& parallel, const PrecisionSpec& precision,
                                                const MemorySpec& memory, const ServerLimits& limits = {},
                                                const DraftShare& draft = {});

/// Why a server with this pool would not start, in its own terms: one sequence of max_model_len needs more than it has.
/// Nothing where it would, or where `max_model_len` is 0.
std::optional<std::string> start_objection(const MemoryPlan& plan, std::int64_t max_model_len,
                                           std::int64_t max_num_batched_tokens);

/// The longest sequence of at most `asked` tokens that the pool holds alone: what vLLM suggests when it refuses.
std::int64_t longest_sequence(const MemoryPlan& plan, std::int64_t asked, std::int64_t chunk);

}  // namespace decodesim
