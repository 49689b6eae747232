#pragma once
// Everything a server needs, resolved: the product of a scenario and the only thing that engines see of it.

#include <algorithm>
#include <cstdint>

#include "sim/core/time.hpp"
#include "sim/model/cost_model.hpp"
#include "sim/model/deployment_spec.hpp"
#include "sim/model/host_transfer.hpp"
#include "sim/model/step_shape.hpp"
#include "sim/serving/serving_spec.hpp"
#include "sim/workload/request.hpp"

namespace decodesim {

/// Host memory that keeps computed KV.
struct HostCacheConfig {
  std::int64_t chunks = 0;        // that it has room for; 0: there is none
  std::int64_t chunk_blocks = 1;  // blocks of a chunk, kept and found as one
  HostWrite write = HostWrite::through;
  HostLoad load = HostLoad::sync;
};

struct ServerConfig {
  SchedulerSpec scheduler;
  ServingSpec serving;
  std::int64_t num_blocks = 0;     // as the server's log prints it
  std::int64_t usable_blocks = 0;  // what requests can hold: vllm-v1 keeps one as its null block
  std::int64_t block_size = 16;
  std::int64_t host_blocks = 0;  // that the host has room for
  HostTransfer host;             // what it takes to move blocks there and back
  HostCacheConfig host_cache;
  bool prefix_caching = false;
  bool uncached_free_to_front = true;
  std::int64_t attention_clip = StepShape::unclipped;  // tokens that the model's layers with a window see at most
  std::int64_t max_model_len = 0;                      // a sequence stops when prompt and output reach it
  std::uint64_t seed = 0;                              // the run's: of predictions and random orders
  const CostModel* cost = nullptr;
  /// The length of a pass under the fixed cost model, where passes form a grid: pass t starts at (t-1) steps and an
  /// empty pass lasts a step too. Zero under every other model, where an empty pass takes no time.
  Duration grid_step{};
};

/// Tokens that this request may generate, as far as anybody can know beforehand: what the client asked for, up to where
/// prompt and output reach `max_model_len`.
inline std::int64_t declared_output_of(const Request& request, std::int64_t max_model_len) {
  return std::min(request.max_tokens, max_model_len - request.input_tokens);
}

/// Tokens that this request really generates: it stops by itself, at what the client asked for, or where prompt and
/// output reach `max_model_len`, whichever comes first.
inline std::int64_t output_tokens_of(const Request& request, std::int64_t max_model_len) {
  return std::min(request.output_tokens, declared_output_of(request, max_model_len));
}

}  // namespace decodesim
