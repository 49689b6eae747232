#pragma once
// Prices a step.

#include <memory>
#include <optional>

#include "sim/hardware/node_spec.hpp"
#include "sim/model/cost_spec.hpp"
#include "sim/model/deployment_spec.hpp"
#include "sim/model/ledger.hpp"
#include "sim/model/model_spec.hpp"
#include "sim/model/plan_error.hpp"
#include "sim/model/step_shape.hpp"

namespace decodesim {

/// A pure function from a step's aggregate shape to its account. The same shape always has the same price.
class CostModel {
 public:
  virtual ~CostModel() = default;
  /// The account of one step; all zero for an empty shape, except under `fixed`, where every pass takes its time.
  [[nodiscard]] virtual Ledger price(const StepShape& shape) const = 0;
};

/// Why this cost model cannot price this deployment, if so: more ranks than GPUs, links that are wrong, an all-reduce
/// that they do not allow, a GPU without a bandwidth or a peak. `parallel.tp` must be resolved (at least 1).
std::optional<PlanError> find_cost_error(const CostSpec& cost, const NodeSpec& node, const ParallelSpec& parallel);

/// The cost model that `cost` names, for this model on this node. `parallel.tp` must be resolved (at least 1),
/// and find_cost_error() must find none.
std::unique_ptr<CostModel> make_cost_model(const CostSpec& cost, const ModelSpec& model, const NodeSpec& node,
                                           const ParallelSpec& parallel, const PrecisionSpec& precision);

/// `cost` for a server that plans a step while the one before runs: a step lasts the longer of host and device.
std::unique_ptr<CostModel> with_host_beside_device(std::unique_ptr<CostModel> cost);

}  // namespace decodesim
