#pragma once
// The limits of a step that an engine picks by the GPU it finds itself on.

#include <cstdint>

#include "sim/hardware/gpu_spec.hpp"

namespace decodesim {

struct BatchDefaults {
  std::int64_t max_num_seqs = 0;
  std::int64_t max_num_batched_tokens = 0;
};

/// What vLLM's API server takes where its command line is silent (EngineArgs.get_batch_defaults, as of 2026): 1024 and
/// 8192 on a GPU that reports at least 70 GiB and is no A100, 256 and 2048 on every other.
BatchDefaults batch_defaults(const GpuSpec& gpu);

}  // namespace decodesim
