// Admits where the pool holds the highest point that memory can come to if everybody generates the maximum and leaves
// then: LightLLM's estimate, which the artifact of VTC uses too. Sorted by what they may still generate, the longest
// first, the i-th leaves when the first i have grown by what it lacks. Nobody is ever evicted, and less is set aside than
// by prompt-and-max. Each sequence counts with the slots that a step has for its drafts, as if none ever met max_model_len.

#include <algorithm>
#include <functional>
#include <set>
#include <utility>
#include <vector>

#include "sim/serving/policy_factories.hpp"
#include "sim/serving/speculation.hpp"

namespace decodesim {

namespace {
/// The estimate lets all that run grow together, so who is still busy with its prompt counts with all that it can come to.
///
/// Looks at all that run, at admission only. Where the candidate is refused, the estimate lies above the pool by some
/// tokens; and while the cohort stays the same and is all that runs, a token of each lowers it by one at most, since each of
/// them has a token more and may generate one less. So nobody is looked at again before so many tokens.
class PeakEstimate final : public AdmissionTest {
 public:
  explicit PeakEstimate(const ServerConfig& server)
      : block_size_(server.block_size),
        unused_(server.block_size - 1 + decode_slots(server.scheduler.speculative) - 1) {}

  bool admits(const ReplicaView& view, const Sequence& candidate, std::int64_t found, std::int64_t tokens,
              std::int64_t spared) const override {
    const LockStep& cohort = view.cohort();
    const Question question{candidate.request.index, tokens, spared, cohort.changes()};
    const bool lock_step = cohort.size() == view.running();
    if (lock_step && refused_ == question && cohort.tokens() < ask_again_) return false;
    Estimate estimate{unused_, {}, 0};
    estimate.add(candidate.request, candidate.generated, found + tokens == candidate.known());
    for (const Sequence* one = view.first_admitted(); one != nullptr; one = ReplicaView::admitted_after(*one)) {
      // Who is held with its last token out stands beside the cohort too.
      const bool decodes = one->state != SequenceState::prefilling || one->generated > one->generated_at_admission;
      const bool prompt_is_done = decodes || whole_.count(one->request.index) > 0;
      estimate.add(one->request, view.generated(*one), prompt_is_done);
    }
    const std::int64_t above = estimate.peak() - (view.total_blocks() - spared) * block_size_ + 1;
    refused_ = lock_step ? question : Question{};
    ask_again_ = cohort.tokens() + above;
    return above <= 0;
  }
  bool admits_alone(const ReplicaView& view, const Request& request) const override {
    Estimate estimate{unused_, {}, 0};
    estimate.add(request, 0, true);
    return estimate.peak() < view.total_blocks() * block_size_;
  }
  void admitted(const Sequence& sequence, bool whole) override {
    if (whole) whole_.insert(sequence.request.index);
  }
  void left(const Sequence& sequence) override { whole_.erase(sequence.request.index); }

 private:
  // All that a refusal depends on where everybody is in lock-step.
  struct Question {
    std::int64_t candidate = -1;
    std::int64_t tokens = 0;
    std::int64_t spared = 0;
    std::int64_t changes = 0;  // of the cohort
    friend bool operator==(const Question&, const Question&) = default;
  };

  // In tokens. Each sequence may leave all but one token of its last block unused, beside the slots of its drafts, and its
  // last token gets no KV.
  struct Estimate {
    std::int64_t unused;
    std::vector<std::pair<std::int64_t, std::int64_t>> loads;  // what it may still generate after its next, what it has
    std::int64_t prompts;                                      // all that those can come to whose prompts are under way

    void add(const Request& request, std::int64_t generated, bool prompt_is_done) {
      const std::int64_t left = request.max_tokens - generated - 1;
      const std::int64_t now = request.input_tokens + generated;
      if (prompt_is_done) {
        loads.emplace_back(left, now);
      } else {
        prompts += left + now + unused;
      }
    }
    [[nodiscard]] std::int64_t peak() {
      std::sort(loads.begin(), loads.end(), std::greater<>());
      std::int64_t highest = 0;
      std::int64_t tokens = 0;
      std::int64_t count = 0;
      for (const auto& [left, now] : loads) {
        tokens += now + unused;
        ++count;
        highest = std::max(highest, left * count + tokens);
      }
      return highest + prompts;
    }
  };

  std::int64_t block_size_;
  std::int64_t unused_;           // slots of a sequence that hold none of its tokens, at most
  std::set<std::int64_t> whole_;  // who runs and began with a whole prompt
  // The last question, where it can be refused again without a look, and the cohort's count of tokens from which on it cannot.
  mutable Question refused_;
  mutable std::int64_t ask_again_ = 0;
};
}  // namespace

std::unique_ptr<AdmissionTest> make_peak_estimate_admission(const ServerConfig& server) {
  return std::make_unique<PeakEstimate>(server);
}

}  // namespace decodesim
