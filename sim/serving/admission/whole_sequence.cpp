// Admits where the whole known sequence fits now, though only the first chunk takes its blocks: vLLM's
// scheduler_reserve_full_isl. Nothing is reserved, so later chunks can still meet a full pool.

#include <algorithm>

#include "sim/serving/policy_factories.hpp"

namespace decodesim {

namespace {
class WholeSequence final : public AdmissionTest {
 public:
  bool admits(const ReplicaView& view, const Sequence& candidate, std::int64_t found, std::int64_t tokens,
              std::int64_t spared) const override {
    const std::int64_t whole = view.blocks_for(std::min(candidate.known(), view.max_model_len()));
    const std::int64_t now = view.blocks_for(found + tokens);
    return std::max(whole, now) + spared <= view.free_blocks();
  }
};
}  // namespace

std::unique_ptr<AdmissionTest> make_whole_sequence_admission(const ServerConfig&) {
  return std::make_unique<WholeSequence>();
}

}  // namespace decodesim
