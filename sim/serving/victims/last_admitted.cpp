// Evicts the sequence that was admitted last, which may be the requester itself: vLLM V1 under FCFS. No two are admitted
// at once, so there are no ties.

#include "sim/serving/policy_factories.hpp"

namespace decodesim {

namespace {
class LastAdmitted final : public VictimChoice {
 public:
  Sequence& choose(const ReplicaView& view, const Sequence&) const override { return *view.last_admitted(); }
};
}  // namespace

std::unique_ptr<VictimChoice> make_last_admitted_victim(const ServerConfig&) {
  return std::make_unique<LastAdmitted>();
}

}  // namespace decodesim
