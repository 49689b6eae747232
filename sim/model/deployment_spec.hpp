#pragma once
// How the model is put on the machine: ranks, number formats and the memory budget.

#include <cstdint>
#include <optional>

#include "sim/core/precision.hpp"
#include "sim/core/quantity.hpp"

namespace decodesim {

struct ParallelSpec {
  int tp = 0;  // tensor-parallel ranks; 0: one on every GPU of `hardware`
};

struct PrecisionSpec {
  Precision weights = Precision::bf16;
  Precision kv_cache = Precision::bf16;
};

enum class MemoryCapacity { as_reported, as_sold };

struct MemorySpec {
  MemoryCapacity capacity = MemoryCapacity::as_reported;
  double utilization = 0.92;                   // the share of a GPU's memory that the server may use; (0, 1]
  Bytes runtime_overhead{4e9};                 // a GPU: activation peak, communication buffers, CUDA graphs
  std::int64_t block_size = 16;                // tokens a block
  std::optional<std::int64_t> num_gpu_blocks;  // what the server's log prints; overrides the budget
};

}  // namespace decodesim
