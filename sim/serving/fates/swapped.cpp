// A victim's KV moves to the host, where there is room for it.

#include "sim/serving/policy_factories.hpp"

namespace decodesim {

namespace {
class Swapped final : public FateChoice {
 public:
  [[nodiscard]] KvFate choose(const ReplicaView&, const Sequence&) const override { return KvFate::swapped; }
};
}  // namespace

std::unique_ptr<FateChoice> make_swapped_fate(const ServerConfig&) { return std::make_unique<Swapped>(); }

}  // namespace decodesim
