// Evicts the least urgent, which is the largest (priority, arrival) and may be the requester itself: vLLM V1 with policy =
// priority. Of sequences equal in both, the first admitted. Looks at all running sequences at each eviction.

#include <tuple>

#include "sim/serving/policy_factories.hpp"
#include "sim/serving/victims/best_of_running.hpp"

namespace decodesim {

namespace {
class LowestPriority final : public VictimChoice {
 public:
  Sequence& choose(const ReplicaView& view, const Sequence&) const override {
    return first_best_of_running(view, [](const Sequence& a, const Sequence& b) {
      return std::tie(a.request.priority, a.request.arrival) > std::tie(b.request.priority, b.request.arrival);
    });
  }
};
}  // namespace

std::unique_ptr<VictimChoice> make_lowest_priority_victim(const ServerConfig&) {
  return std::make_unique<LowestPriority>();
}

}  // namespace decodesim
