#pragma once
// One model on one node whose prices tests use where any will do.

#include <memory>
#include <string>

#include "sim/model/cost_model.hpp"
#include "sim/model/speculative_spec.hpp"
#include "sim/scenario/host_memory.hpp"

namespace decodesim::tests {

/// Llama 3 8B in BF16 on the eight GPUs of an HGX H100, priced by `kind`; with a `window`, every second layer sees so many
/// tokens.
std::unique_ptr<CostModel> sample_cost(CostKind kind, std::int64_t window = 0);

/// `cost` with what drafts on that machine, priced by `kind`.
std::unique_ptr<CostModel> with_sample_draft(std::unique_ptr<CostModel> cost, const SpeculativeSpec& speculative,
                                             CostKind kind, std::int64_t window);

/// Host memory and the way there as that machine has them under `memory`, for a scheduler that swaps.
HostMemory sample_host(CostKind kind, const SchedulerSpec& scheduler, const MemorySpec& memory);

/// The same as lines of a scenario: model, hardware, parallel and precision.
std::string sample_machine_yaml(std::int64_t window);

}  // namespace decodesim::tests
