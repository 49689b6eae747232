// A step of a server that plans ahead: the host works beside the device, so the longer of the two counts.

#include <utility>

#include "sim/model/cost_model.hpp"

namespace decodesim {

namespace {
class HostBesideDevice final : public CostModel {
 public:
  explicit HostBesideDevice(std::unique_ptr<CostModel> cost) : cost_(std::move(cost)) {}
  [[nodiscard]] Ledger price(const StepShape& shape) const override {
    Ledger account = cost_->price(shape);
    account.hide_host();
    return account;
  }

 private:
  std::unique_ptr<CostModel> cost_;
};
}  // namespace

std::unique_ptr<CostModel> with_host_beside_device(std::unique_ptr<CostModel> cost) {
  return std::make_unique<HostBesideDevice>(std::move(cost));
}

}  // namespace decodesim
