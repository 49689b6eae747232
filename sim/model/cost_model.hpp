#pragma once
// Prices a step.

#include <memory>

#include "sim/hardware/node_spec.hpp"
#include "sim/model/cost_spec.hpp"
#include "sim/model/deployment_spec.hpp"
#include "sim/model/ledger.hpp"
#include "sim/model/model_spec.hpp"
#include "sim/model/step_shape.hpp"

namespace decodesim {

/// A pure function from a step's aggregate shape to its account. The same shape always has the same price.
class CostModel {
 public:
  virtual ~CostModel() = default;
  /// The account of one step; all zero for an empty shape, except under `fixed`, where every pass takes its time.
  [[nodiscard]] virtual Ledger price(const StepShape& shape) const = 0;
};

/// The cost model that `cost` names, for this model on this node. `parallel.tp` must be resolved (at least 1).
std::unique_ptr<CostModel> make_cost_model(const CostSpec& cost, const ModelSpec& model, const NodeSpec& node,
                                           const ParallelSpec& parallel, const PrecisionSpec& precision);

}  // namespace decodesim
