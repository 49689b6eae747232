// Shortest remaining work first: who is predicted to lack the fewest tokens, less what waiting counts (scheduler.ageing).
// It differs from sjf for those that come back after an eviction, with tokens already generated. Of equal ones the one
// that lacks less, then the first that came.

#include "sim/serving/ageing.hpp"
#include "sim/serving/policy_factories.hpp"

namespace decodesim {

namespace {
class ShortestRemaining final : public QueueOrder {
 public:
  explicit ShortestRemaining(const ServerConfig& server) : ageing_(server.scheduler.ageing) {}

  bool before(const Sequence& a, const Sequence& b) const override {
    return ageing_.before(aged_waiting(a, a.predicted - a.generated), aged_waiting(b, b.predicted - b.generated));
  }

 private:
  Ageing ageing_;
};
}  // namespace

std::unique_ptr<QueueOrder> make_srpt_order(const ServerConfig& server) {
  return std::make_unique<ShortestRemaining>(server);
}

}  // namespace decodesim
