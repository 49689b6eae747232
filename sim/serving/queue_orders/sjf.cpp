// Shortest job first: who is predicted to generate the fewest tokens in all, less what waiting counts (scheduler.ageing).
// Of equal ones the shorter, then the first that came.

#include "sim/serving/ageing.hpp"
#include "sim/serving/policy_factories.hpp"

namespace decodesim {

namespace {
class ShortestJob final : public QueueOrder {
 public:
  explicit ShortestJob(const ServerConfig& server) : ageing_(server.scheduler.ageing) {}

  bool before(const Sequence& a, const Sequence& b) const override {
    return ageing_.before(aged_waiting(a, a.predicted), aged_waiting(b, b.predicted));
  }

 private:
  Ageing ageing_;
};
}  // namespace

std::unique_ptr<QueueOrder> make_sjf_order(const ServerConfig& server) { return std::make_unique<ShortestJob>(server); }

}  // namespace decodesim
