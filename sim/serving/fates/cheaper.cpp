// A victim's KV moves to the host where taking it there and back costs less time than computing it again, as the cost model
// predicts both; equal costs, as under a fixed step, drop it. To compute it again is predicted as the ledger books it: by
// how much a step with one decoding sequence would be longer.

#include "sim/serving/policy_factories.hpp"

namespace decodesim {

namespace {
class Cheaper final : public FateChoice {
 public:
  explicit Cheaper(const ServerConfig& server)
      : cost_(*server.cost), host_(server.host), clip_(server.attention_clip) {}

  [[nodiscard]] KvFate choose(const ReplicaView& view, const Sequence& victim) const override {
    const std::int64_t tokens = view.cached(victim);
    const Duration one_way = host_.time(victim.blocks_held());
    StepShape with;
    with.add(tokens, 1, clip_);
    const Duration without_it = cost_.price(with).duration();
    with.add(0, tokens, clip_);
    const Duration again = cost_.price(with).duration() - without_it;
    return 2 * one_way < again ? KvFate::swapped : KvFate::dropped;
  }

 private:
  const CostModel& cost_;
  HostTransfer host_;
  std::int64_t clip_;
};
}  // namespace

std::unique_ptr<FateChoice> make_cheaper_fate(const ServerConfig& server) { return std::make_unique<Cheaper>(server); }

}  // namespace decodesim
