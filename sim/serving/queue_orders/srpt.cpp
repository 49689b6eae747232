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
    const std::int64_t a_lacks = a.predicted - a.generated;
    const std::int64_t b_lacks = b.predicted - b.generated;
    const Duration a_waited = a.waited - a.waits_since.time_since_epoch();
    const Duration b_waited = b.waited - b.waits_since.time_since_epoch();
    const int order = ageing_.compare(a_lacks, a_waited, b_lacks, b_waited);
    if (order != 0) return order < 0;
    return a_lacks != b_lacks ? a_lacks < b_lacks : a.request.index < b.request.index;
  }

 private:
  Ageing ageing_;
};
}  // namespace

std::unique_ptr<QueueOrder> make_srpt_order(const ServerConfig& server) {
  return std::make_unique<ShortestRemaining>(server);
}

}  // namespace decodesim
