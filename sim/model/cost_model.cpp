#include "sim/model/cost_model.hpp"

#include <array>
#include <string>

#include "sim/core/check.hpp"
#include "sim/model/cost/kinds.hpp"

namespace decodesim {

namespace {

struct Entry {
  CostKind kind;
  std::unique_ptr<CostModel> (*make)(const cost::Deployed&);
};

constexpr std::array table{
    Entry{CostKind::fixed, cost::make_fixed},
    Entry{CostKind::ideal, cost::make_ideal},
    Entry{CostKind::roofline, cost::make_roofline},
    Entry{CostKind::calibrated, cost::make_calibrated},
};

}  // namespace

std::optional<PlanError> find_cost_error(const CostSpec& cost, const NodeSpec& node, const ParallelSpec& parallel) {
  // A given step needs no machine, so the scenario may name none.
  if (cost.model == CostKind::fixed) return std::nullopt;
  if (parallel.tp > node.gpus)
    return PlanError{"parallel.tp", "tp " + std::to_string(parallel.tp) + " needs more GPUs than the " +
                                        std::to_string(node.gpus) + " of " +
                                        (node.name.empty() ? "the node" : node.name)};
  if (!(node.gpu.hbm_bandwidth.value() > 0))
    return PlanError{"hardware", "the GPU '" + node.gpu.name + "' states no memory bandwidth"};
  return cost.model == CostKind::ideal ? std::nullopt : cost::find_operations_error(cost, node, parallel);
}

std::unique_ptr<CostModel> make_cost_model(const CostSpec& cost, const ModelSpec& model, const NodeSpec& node,
                                           const ParallelSpec& parallel, const PrecisionSpec& precision) {
  check(parallel.tp >= 1, "a cost model was made before tp was resolved");
  const cost::Deployed deployed{cost, model, node, parallel, precision};
  for (const Entry& entry : table)
    if (entry.kind == cost.model) return entry.make(deployed);
  check(false, "a kind of cost model is missing in the table");
  return nullptr;
}

}  // namespace decodesim
