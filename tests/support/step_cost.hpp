#pragma once
// Made-up prices of steps, in whole nanoseconds.

#include <cstdint>

#include "sim/model/cost_model.hpp"

namespace decodesim::tests {

/// Every pass lasts the same, as under the fixed cost model.
class GridCost : public CostModel {
 public:
  explicit GridCost(Duration step) : step_(step) {}
  [[nodiscard]] Ledger price(const StepShape&) const override {
    Ledger ledger;
    ledger.spend(TimePart::fixed, BoundBy::fixed, step_);
    return ledger;
  }

 private:
  Duration step_;
};

/// Every sum of the shape has a price of its own, so that two shapes rarely cost the same.
class ShapeCost : public CostModel {
 public:
  /// All prices are multiplied by `scale`; a step is padded to a multiple of `grain` before that.
  explicit ShapeCost(std::int64_t scale = 1, Duration grain = Duration(1)) : scale_(scale), grain_(grain) {}
  [[nodiscard]] Ledger price(const StepShape& shape) const override;

 private:
  std::int64_t scale_;
  Duration grain_;
};

}  // namespace decodesim::tests
