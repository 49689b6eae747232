// Admits where prompt and declared maximum fit beside what everybody who runs may still come to need, so that nobody is
// ever evicted: the guarantee of TensorRT-LLM's GUARANTEED_NO_EVICT, in blocks. What is set aside is kept as a sum. Where
// drafts are verified a last step may have slots beyond the end.

#include <algorithm>

#include "sim/core/rounding.hpp"
#include "sim/serving/policy_factories.hpp"
#include "sim/serving/speculation.hpp"

namespace decodesim {

namespace {
class PromptAndMax final : public AdmissionTest {
 public:
  explicit PromptAndMax(const ServerConfig& server)
      : block_size_(server.block_size),
        max_model_len_(server.max_model_len),
        decode_slots_(decode_slots(server.scheduler.speculative)) {}

  bool admits(const ReplicaView& view, const Sequence& candidate, std::int64_t, std::int64_t,
              std::int64_t spared) const override {
    return set_aside_ + most_blocks(candidate.request) + spared <= view.total_blocks();
  }
  bool admits_alone(const ReplicaView& view, const Request& request) const override {
    return most_blocks(request) <= view.total_blocks();
  }
  void admitted(const Sequence& sequence, bool) override { set_aside_ += most_blocks(sequence.request); }
  void left(const Sequence& sequence) override { set_aside_ -= most_blocks(sequence.request); }

 private:
  [[nodiscard]] std::int64_t most_blocks(const Request& request) const {
    const std::int64_t declared = declared_output_of(request, max_model_len_);
    const std::int64_t tokens = request.input_tokens + declared;
    // The last step may begin one token before the end; who asks for one token is over before it could.
    const std::int64_t last_step = declared < 2 ? 0 : std::min(tokens - 2 + decode_slots_, max_model_len_);
    return ceil_div(std::max(tokens, last_step), block_size_);
  }

  std::int64_t block_size_;
  std::int64_t max_model_len_;
  std::int64_t decode_slots_;
  std::int64_t set_aside_ = 0;  // for those that run
};
}  // namespace

std::unique_ptr<AdmissionTest> make_prompt_and_max_admission(const ServerConfig& server) {
  return std::make_unique<PromptAndMax>(server);
}

}  // namespace decodesim
