// Evicts the sequence that alone holds most blocks, those it took in this pass included, so that few evictions make much
// room; among equals the last admitted. Looks at all running sequences at each eviction.

#include "sim/serving/policy_factories.hpp"
#include "sim/serving/victims/best_of_running.hpp"

namespace decodesim {

namespace {
class MostReclaimableBlocks final : public VictimChoice {
 public:
  Sequence& choose(const ReplicaView& view, const Sequence&) const override {
    return last_best_of_running(view, [&](const Sequence& a, const Sequence& b) {
      return view.reclaimable_blocks(a) > view.reclaimable_blocks(b);
    });
  }
};
}  // namespace

std::unique_ptr<VictimChoice> make_most_reclaimable_blocks_victim(const ServerConfig&) {
  return std::make_unique<MostReclaimableBlocks>();
}

}  // namespace decodesim
