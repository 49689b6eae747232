// Evicts the running sequence that arrived last, whenever it was admitted; of simultaneous arrivals the later in the
// workload, so there are no ties. vLLM V0 and Sarathi-Serve do so. Looks at all running sequences at each eviction.

#include <tuple>

#include "sim/serving/policy_factories.hpp"
#include "sim/serving/victims/best_of_running.hpp"

namespace decodesim {

namespace {
class LatestArrival final : public VictimChoice {
 public:
  Sequence& choose(const ReplicaView& view, const Sequence&) const override {
    return last_best_of_running(view, [](const Sequence& a, const Sequence& b) {
      return std::tie(a.request.arrival, a.request.index) > std::tie(b.request.arrival, b.request.index);
    });
  }
};
}  // namespace

std::unique_ptr<VictimChoice> make_latest_arrival_victim(const ServerConfig&) {
  return std::make_unique<LatestArrival>();
}

}  // namespace decodesim
