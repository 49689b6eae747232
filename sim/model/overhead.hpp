#pragma once
// What a server needs of a GPU's memory besides weights and cache.

#include <cstdint>

#include "sim/core/quantity.hpp"
#include "sim/hardware/gpu_spec.hpp"
#include "sim/model/deployment_spec.hpp"
#include "sim/model/model_spec.hpp"

namespace decodesim {

/// What bounds a server's steps and sequences.
struct ServerLimits {
  std::int64_t max_num_batched_tokens = 8192;
  std::int64_t max_num_seqs = 1024;
  std::int64_t max_model_len = 0;  // 0: unlimited
};

struct Overhead {
  Bytes activation_peak;
  Bytes non_torch;
  Bytes cuda_graphs;
};

/// Peak of a step of max_num_batched_tokens, which servers measure at their start. An assumption that fits their logs (see
/// docs/validation.md): the larger of
///  * the feed-forward layer: three residual streams, and gate, up and their product, in 16 bits; each routed expert of a
///    token likewise, with an output of its own, for the 32,768 tokens that fused kernels take at once;
///  * sampling: 40 bytes a sequence and entry of the vocabulary: logits, their sorted copy with its order, probabilities.
/// Encoders of images and audio are not in it.
Bytes default_activation_peak(const ModelSpec& model, int tp, const ServerLimits& limits);
/// CUDA context and communication buffers beyond the framework's allocator: 100 MiB; between several ranks 300 MiB more for
/// each where GPUs have links of their own (0.9 to 7.2 GiB in logs), and 100 MiB in all over PCIe (0.2 to 0.25 GiB in logs).
Bytes default_non_torch(const GpuSpec& gpu, int tp);
/// 20 MiB a layer that the GPU holds; logs are few.
Bytes default_cuda_graphs(int layers);

/// What is stated of the three, and the defaults for the rest. A stage holds its share of `layers`.
Overhead overhead_of(const ModelSpec& model, const GpuSpec& gpu, const ParallelSpec& parallel, const MemorySpec& memory,
                     const ServerLimits& limits);

}  // namespace decodesim
