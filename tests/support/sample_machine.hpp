#pragma once
// One model on one node whose prices tests use where any will do.

#include <memory>
#include <string>

#include "sim/model/cost_model.hpp"

namespace decodesim::tests {

/// Llama 3 8B in BF16 on the eight GPUs of an HGX H100, priced by `kind`.
std::unique_ptr<CostModel> sample_cost(CostKind kind);

/// The same as lines of a scenario: model, hardware, parallel and precision.
std::string sample_machine_yaml();

}  // namespace decodesim::tests
