// Evicts the sequence with the fewest tokens whose KV is computed, before this pass, since those are what it would compute
// again; among equals the last admitted. What might be found again at its return is not foreseen. Looks at all running
// sequences at each eviction.

#include "sim/serving/policy_factories.hpp"
#include "sim/serving/victims/best_of_running.hpp"

namespace decodesim {

namespace {
class LeastRecompute final : public VictimChoice {
 public:
  Sequence& choose(const ReplicaView& view, const Sequence&) const override {
    return last_best_of_running(view,
                                [&](const Sequence& a, const Sequence& b) { return view.cached(a) < view.cached(b); });
  }
};
}  // namespace

std::unique_ptr<VictimChoice> make_least_recompute_victim(const ServerConfig&) {
  return std::make_unique<LeastRecompute>();
}

}  // namespace decodesim
