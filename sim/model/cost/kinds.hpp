#pragma once
// The cost models, one a kind; each in a file of its own.

#include <memory>
#include <optional>

#include "sim/model/cost_model.hpp"

namespace decodesim::cost {

/// What a cost model is made from; the Specs outlive the call alone.
struct Deployed {
  const CostSpec& cost;
  const ModelSpec& model;
  const NodeSpec& node;
  const ParallelSpec& parallel;
  const PrecisionSpec& precision;
};

std::unique_ptr<CostModel> make_fixed(const Deployed& deployed);
std::unique_ptr<CostModel> make_ideal(const Deployed& deployed);
std::unique_ptr<CostModel> make_roofline(const Deployed& deployed);
std::unique_ptr<CostModel> make_calibrated(const Deployed& deployed);

/// What `roofline` and `calibrated` need besides: a peak, and links that allow the all-reduce.
std::optional<PlanError> find_operations_error(const CostSpec& cost, const NodeSpec& node,
                                               const ParallelSpec& parallel);

}  // namespace decodesim::cost
