#include "sim/model/overhead.hpp"

#include <algorithm>

#include "sim/core/rounding.hpp"

namespace decodesim {

namespace {
constexpr double MiB = 1024.0 * 1024;
constexpr double activation_bytes = 2;
}  // namespace

Bytes default_activation_peak(const ModelSpec& model, int tp, const ServerLimits& limits) {
  const auto tokens = static_cast<double>(limits.max_num_batched_tokens);
  const double hidden = model.hidden_size;
  const double dense = 3.0 * model.intermediate_size / tp;
  const double expert = 3.0 * model.moe.intermediate_size / tp + hidden;
  const double dense_values = tokens * dense;
  const double expert_values = std::min(tokens, 32768.0) * model.moe.active * expert;
  const double layer = (tokens * 3 * hidden + std::max(dense_values, expert_values)) * activation_bytes;
  const auto sampled = static_cast<double>(std::min(limits.max_num_seqs, limits.max_num_batched_tokens));
  return Bytes(std::max(layer, sampled * model.vocab_size * 40));
}

Bytes default_non_torch(const GpuSpec& gpu, int tp) {
  if (tp == 1) return Bytes(100 * MiB);
  // Faster than any PCIe: the links are NVLink's kind.
  const bool linked = gpu.link_bandwidth.value() > 100e9;
  return Bytes((linked ? 100 + 300 * tp : 200) * MiB);
}

Bytes default_cuda_graphs(int layers) { return Bytes(20 * MiB * layers); }

Overhead overhead_of(const ModelSpec& model, const GpuSpec& gpu, const ParallelSpec& parallel, const MemorySpec& memory,
                     const ServerLimits& limits) {
  const int layers = ceil_div(model.layers, parallel.pp) + model.draft_layers + model.cross_attention_layers;
  return {memory.activation_peak.value_or(default_activation_peak(model, parallel.tp, limits)),
          memory.non_torch.value_or(default_non_torch(gpu, parallel.tp)),
          memory.cuda_graphs.value_or(default_cuda_graphs(layers))};
}

}  // namespace decodesim
