// Shortest job first: who is predicted to generate the fewest tokens in all, less what waiting counts (scheduler.ageing).
// Of equal ones the shorter, then the first that came.

#include <tuple>

#include "sim/serving/ageing.hpp"
#include "sim/serving/policy_factories.hpp"

namespace decodesim {

namespace {
class ShortestJob final : public QueueOrder {
 public:
  explicit ShortestJob(const ServerConfig& server) : ageing_(server.scheduler.ageing) {}

  bool before(const Sequence& a, const Sequence& b) const override {
    // Both have waited since then until now, so that `now` falls out.
    const Duration a_waited = a.waited - a.waits_since.time_since_epoch();
    const Duration b_waited = b.waited - b.waits_since.time_since_epoch();
    const int order = ageing_.compare(a.predicted, a_waited, b.predicted, b_waited);
    if (order != 0) return order < 0;
    return std::tie(a.predicted, a.request.index) < std::tie(b.predicted, b.request.index);
  }

 private:
  Ageing ageing_;
};
}  // namespace

std::unique_ptr<QueueOrder> make_sjf_order(const ServerConfig& server) { return std::make_unique<ShortestJob>(server); }

}  // namespace decodesim
