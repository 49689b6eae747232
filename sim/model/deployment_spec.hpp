#pragma once
// How the model is put on the machine: ranks, number formats and the memory budget.

#include <cstdint>
#include <optional>

#include "sim/core/precision.hpp"
#include "sim/core/quantity.hpp"

namespace decodesim {

struct ParallelSpec {
  int tp = 0;  // tensor-parallel ranks of a stage; 0: one on every GPU of `hardware`
  int pp = 1;  // pipeline stages
};

struct PrecisionSpec {
  Precision weights = Precision::bf16;
  Precision kv_cache = Precision::bf16;
  std::optional<Precision> embeddings =
      std::nullopt;  // of embeddings and output layer; absent: 16 bits where the weights have fewer

  [[nodiscard]] Precision tables() const {
    return embeddings.value_or(bytes_per_value(weights) < bytes_per_value(Precision::bf16) ? Precision::bf16 : weights);
  }
};

enum class MemoryCapacity { as_reported, as_sold };

/// Whose arithmetic turns a GPU's memory into a pool:
///  * vllm: memory x utilization - weights - overhead; blocks are rounded down;
///  * sglang: the same without activations and graphs, for which the rest of the memory is left, but with the table that
///    says where each of max_num_seqs sequences of max_model_len tokens lies;
///  * trtllm: utilization x (memory - weights - overhead), a share of what is free; blocks are rounded up.
enum class Accounting { vllm, sglang, trtllm };

/// Blocks of layers with a window: as many as a layer has that sees everything, or as the window needs.
enum class WindowBlocks { as_full, apart };

/// Host memory that KV is swapped to.
struct HostSwapSpec {
  Bytes capacity{4294967296.0};        // a GPU; vLLM V0's default of 4 GiB
  std::optional<std::int64_t> blocks;  // of the server; overrides the capacity
};

/// When KV is written to the host: as soon as a prompt's step computed it, or when the device hands its block out.
enum class HostWrite { through, on_evict };
/// How KV comes back from the host: with the step that admits its request, which waits for it, or beside the steps, while
/// the request waits and holds its blocks.
enum class HostLoad { sync, async };

/// Host memory that keeps computed KV. Without a capacity or a number of chunks there is none.
struct HostCacheSpec {
  Bytes capacity{0.0};                 // a GPU
  std::optional<std::int64_t> chunks;  // of the server; overrides the capacity
  std::int64_t chunk = 256;            // tokens that are kept and found as one; LMCache's default
  HostWrite write = HostWrite::through;
  HostLoad load = HostLoad::sync;

  [[nodiscard]] bool on() const { return chunks.has_value() || capacity.value() > 0; }
};

/// What runs beside transfers: nothing, or the rest of the step that they belong to.
enum class HostOverlap { none, step };

/// The way between a GPU and its host.
struct HostLinkSpec {
  std::optional<BytesPerSecond> bandwidth;  // a GPU, per direction, as transfers see it; absent: the node's links say
  double efficiency = 0.78;                 // the share of a link's datasheet figure that transfers see
  Seconds setup{10e-6};                     // of all transfers of a step in one direction
  Seconds per_message{1e-6};                // of a contiguous piece: the keys or the values of a block in one layer
  HostOverlap overlap = HostOverlap::none;
};

struct MemorySpec {
  MemoryCapacity capacity = MemoryCapacity::as_reported;
  Accounting accounting = Accounting::vllm;
  double utilization = 0.92;  // the share of a GPU's memory that the server may use; (0, 1]
  // Of a GPU, as a server's log prints them; absent: from the model.
  std::optional<Bytes> weights;
  std::optional<Bytes> runtime_overhead;  // in place of the three below
  std::optional<Bytes> activation_peak;
  std::optional<Bytes> non_torch;
  std::optional<Bytes> cuda_graphs;
  bool cuda_graphs_in_budget = true;  // as in vLLM from 0.21 on; before, they came on top of `utilization`
  std::optional<Bytes> kv_cache;      // of a GPU; overrides the budget
  WindowBlocks window_layers = WindowBlocks::as_full;
  std::optional<std::int64_t> state_slots;     // sequences whose states lie outside the pool; absent: in its blocks
  std::int64_t block_size = 16;                // tokens a block
  bool prefix_caching = false;                 // requests find KV of blocks that others, or they before, computed
  bool uncached_free_to_front = true;          // freed blocks that cannot be found are reused first
  std::optional<std::int64_t> num_gpu_tokens;  // what the server's log prints; overrides budget and kv_cache
  std::optional<std::int64_t> num_gpu_blocks;  // what the server's log prints; overrides all of them
  HostSwapSpec host_swap;
  HostCacheSpec host_cache;
  HostLinkSpec host_link;
};

}  // namespace decodesim
