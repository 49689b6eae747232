#pragma once
// How a GPU's memory is divided, and how many KV blocks that leaves.

#include <cstdint>
#include <variant>

#include "sim/core/quantity.hpp"
#include "sim/hardware/gpu_spec.hpp"
#include "sim/model/deployment_spec.hpp"
#include "sim/model/model_spec.hpp"
#include "sim/model/plan_error.hpp"

namespace decodesim {

/// What proposes draft tokens takes on one rank beside the model.
struct DraftShare {
  Bytes weights{};
  Bytes kv_per_token{};  // of each token that the model caches too
};

/// Every term of the budget of one GPU, in the order in which they are subtracted:
///   pool = capacity x utilization - weight shard - draft shard - runtime overhead;  blocks = floor(pool / block_bytes).
/// All ranks are alike, so one GPU's count is the server's.
///
/// A block is sized as if every layer saw the whole context, as an engine allocates that does not know of windows. For
/// a model with sliding windows the plan therefore holds fewer tokens than an engine with a pool per layer group would.
struct MemoryPlan {
  Bytes capacity;  // as the driver reports it, or as the datasheet sells it
  Bytes usable;    // capacity x utilization
  Bytes weight_shard;
  Bytes draft_shard;  // weights of what drafts; nothing without speculation
  Bytes runtime_overhead;
  Bytes pool;                 // a GPU; not positive only where the blocks are given
  Bytes block_bytes;          // one block on one rank, the draft's KV included
  Blocks num_blocks;          // as a server's log prints it
  Tokens tokens;              // num_blocks x block size
  bool blocks_given = false;  // `num_gpu_blocks` overrides the budget
};

/// `parallel.tp` must be resolved (at least 1).
///
/// Errors: weights and overhead that leave nothing, and a pool smaller than one block, unless `num_gpu_blocks` is
/// given.
std::variant<MemoryPlan, PlanError> plan_memory(const ModelSpec& model, const GpuSpec& gpu,
                                                const ParallelSpec& parallel, const PrecisionSpec& precision,
                                                const MemorySpec& memory, const DraftShare& draft = {});

}  // namespace decodesim
