// Admits where the first chunk fits: vLLM before the whole sequence was looked at, and now where
// scheduler_reserve_full_isl is off. Later chunks may find the pool full and preempt.

#include "sim/serving/policy_factories.hpp"

namespace decodesim {

namespace {
class FirstChunk final : public AdmissionTest {
 public:
  bool admits(const ReplicaView& view, const Sequence&, std::int64_t found, std::int64_t tokens,
              std::int64_t spared) const override {
    return view.blocks_for(found + tokens) + spared <= view.free_blocks();
  }
};
}  // namespace

std::unique_ptr<AdmissionTest> make_first_chunk_admission(const ServerConfig&) {
  return std::make_unique<FirstChunk>();
}

}  // namespace decodesim
