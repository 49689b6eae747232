// Evicts the sequence with the fewest generated tokens, among equals the one with the longest prompt, among those the last
// admitted: whom SGLang retracts first. Looks at all running sequences at each eviction.

#include "sim/serving/policy_factories.hpp"
#include "sim/serving/victims/best_of_running.hpp"

namespace decodesim {

namespace {
class FewestGenerated final : public VictimChoice {
 public:
  Sequence& choose(const ReplicaView& view, const Sequence&) const override {
    return last_best_of_running(view, [&](const Sequence& a, const Sequence& b) {
      const std::int64_t of_a = view.generated(a);
      const std::int64_t of_b = view.generated(b);
      return of_a != of_b ? of_a < of_b : a.request.input_tokens > b.request.input_tokens;
    });
  }
};
}  // namespace

std::unique_ptr<VictimChoice> make_fewest_generated_victim(const ServerConfig&) {
  return std::make_unique<FewestGenerated>();
}

}  // namespace decodesim
