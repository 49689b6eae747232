// A victim's KV is lost, and it computes its tokens again.

#include "sim/serving/policy_factories.hpp"

namespace decodesim {

namespace {
class Dropped final : public FateChoice {
 public:
  [[nodiscard]] KvFate choose(const ReplicaView&, const Sequence&) const override { return KvFate::dropped; }
};
}  // namespace

std::unique_ptr<FateChoice> make_dropped_fate(const ServerConfig&) { return std::make_unique<Dropped>(); }

}  // namespace decodesim
