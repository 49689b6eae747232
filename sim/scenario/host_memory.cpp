#include "sim/scenario/host_memory.hpp"

#include <cmath>

#include "sim/hardware/host_path.hpp"
#include "sim/model/kv_cache.hpp"
#include "sim/serving/policy_table.hpp"

namespace decodesim {

std::variant<HostMemory, PlanError> plan_host(const Scenario& scenario) {
  HostMemory host;
  const MemorySpec& memory = scenario.memory;
  if (!may_swap(scenario.scheduler) && !memory.host_cache.on()) return host;
  const ModelSpec& model = scenario.model;
  HostTransfer& transfer = host.transfer;
  transfer.ranks = scenario.parallel.tp;
  if (model.layers > 0) {
    transfer.block_bytes = kv_bytes_per_token_per_rank(model, scenario.precision.kv_cache, scenario.parallel.tp) *
                           static_cast<double>(memory.block_size);
    // Keys and values lie apart; a latent is one piece.
    transfer.block_messages = std::int64_t{model.has_latent_cache() ? 1 : 2} * model.layers;
  }

  if (memory.host_cache.on()) {
    const HostCacheSpec& cache = memory.host_cache;
    host.cache.chunk_blocks = cache.chunk / memory.block_size;
    host.cache.write = cache.write;
    host.cache.load = cache.load;
    if (cache.chunks) {
      host.cache.chunks = *cache.chunks;
    } else if (model.layers > 0) {
      const Bytes chunk = transfer.block_bytes * static_cast<double>(host.cache.chunk_blocks);
      host.cache.chunks = static_cast<std::int64_t>(std::floor(cache.capacity / chunk));
    } else {
      return PlanError{"memory.host_cache",
                       "without a model nothing says how many chunks 'memory.host_cache.capacity' holds; write "
                       "memory.host_cache: {chunks: N}"};
    }
  }

  if (may_swap(scenario.scheduler)) {
    if (memory.host_swap.blocks) {
      host.blocks = *memory.host_swap.blocks;
    } else if (model.layers > 0) {
      host.blocks = static_cast<std::int64_t>(std::floor(memory.host_swap.capacity / transfer.block_bytes));
    } else {
      return PlanError{"memory.host_swap",
                       "the scheduler swaps to the host, but without a model nothing says how many blocks its memory "
                       "holds; write memory.host_swap: {blocks: N}"};
    }
  }

  if (scenario.cost.model == CostKind::fixed) return host;
  transfer.setup = memory.host_link.setup;
  transfer.per_message = memory.host_link.per_message;
  transfer.beside_step = memory.host_link.overlap == HostOverlap::step;
  if (memory.host_link.bandwidth) {
    transfer.bandwidth = *memory.host_link.bandwidth;
    return host;
  }
  const Topology topology = expand(scenario.hardware);
  const auto stated = topology.errors.empty() ? host_bandwidth(topology.graph, scenario.parallel.tp) : std::nullopt;
  if (!stated) {
    return PlanError{"memory.host_link",
                     "KV moves to the host, but hardware.links show no way from every GPU to it; write "
                     "memory.host_link: {bandwidth: 25 GB/s}, or add a link from gpu to host"};
  }
  transfer.bandwidth = *stated * memory.host_link.efficiency;
  return host;
}

}  // namespace decodesim
