// Admits where the candidate's tokens and all that it may still generate fit beside a share of what those that run may
// still generate (scheduler.admission_ratio): SGLang's estimate, with a ratio that stands still and without its cap at
// 4,096 tokens. A ratio below 1 lets in more than is sure to fit, and evictions follow.

#include <algorithm>

#include "sim/serving/policy_factories.hpp"

namespace decodesim {

namespace {
/// What the running may still generate is the sum of prompt and maximum over them less the tokens that they have by now;
/// the first is kept here and the second follows from the replica's sums. Only prompts under way are looked at.
class RatioWeighted final : public AdmissionTest {
 public:
  explicit RatioWeighted(const ServerConfig& server)
      : ratio_(server.scheduler.admission_ratio), block_size_(server.block_size) {}

  bool admits(const ReplicaView& view, const Sequence& candidate, std::int64_t found, std::int64_t tokens,
              std::int64_t spared) const override {
    // Who decodes has all its tokens cached but the newest.
    std::int64_t known = view.cached_tokens() + view.running();
    std::int64_t prompts = 0;  // tokens of prompts under way that have no room yet
    for (const Sequence* sequence : view.prefilling()) {
      known += sequence->known() - sequence->cached - 1;
      const std::int64_t room = sequence->blocks_held() * block_size_;
      prompts += std::max<std::int64_t>(0, sequence->known() - room);
    }
    const std::int64_t room = (view.free_blocks() - spared) * block_size_ - prompts;
    const double left = static_cast<double>(room) - ratio_ * static_cast<double>(most_tokens_ - known);
    if (static_cast<double>(wants(candidate.request) - found) >= left) return false;
    return view.blocks_for(found + tokens) + spared <= view.free_blocks();
  }
  bool admits_alone(const ReplicaView& view, const Request& request) const override {
    return wants(request) < view.total_blocks() * block_size_;
  }
  void admitted(const Sequence& sequence, bool) override { most_tokens_ += most_tokens(sequence.request); }
  void left(const Sequence& sequence) override { most_tokens_ -= most_tokens(sequence.request); }

 private:
  static std::int64_t most_tokens(const Request& request) { return request.input_tokens + request.max_tokens; }
  // One block more, as SGLang has it, since the last one of a sequence is rarely full.
  [[nodiscard]] std::int64_t wants(const Request& request) const { return most_tokens(request) + block_size_; }

  double ratio_;
  std::int64_t block_size_;
  std::int64_t most_tokens_ = 0;  // prompt and maximum of those that run
};
}  // namespace

std::unique_ptr<AdmissionTest> make_ratio_weighted_admission(const ServerConfig& server) {
  return std::make_unique<RatioWeighted>(server);
}

}  // namespace decodesim
