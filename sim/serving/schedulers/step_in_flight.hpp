#pragma once
// What is still on its way while a pass is planned ahead.

#include <algorithm>
#include <vector>

#include "sim/serving/sequence.hpp"

namespace decodesim {

/// The step before the one that is planned, whose results are not known yet.
class StepInFlight {
 public:
  /// A pass begins; these running sequences got no token in the pass before.
  void begin_pass(const std::vector<Sequence*>& left_out) {
    left_out_before_ = left_out;
    served_beside_.clear();
  }
  /// The pass serves this one, which may have ended, beside the cohort.
  void serves(const Sequence& sequence) { served_beside_.push_back(&sequence); }
  /// The pass is planned, and its step computes something or not.
  void end_pass(bool computes) { runs_ = computes; }

  /// Does a step run while this pass is planned?
  [[nodiscard]] bool runs() const { return runs_; }
  /// Does this running sequence get a token by it?
  [[nodiscard]] bool yields(const Sequence& running) const {
    if (!runs_) return false;
    if (running.state == SequenceState::prefilling) return running.generated > running.generated_at_admission;
    return std::find(left_out_before_.begin(), left_out_before_.end(), &running) == left_out_before_.end();
  }
  /// Is this one, which ended, served once more by the pass that was planned?
  [[nodiscard]] bool serves_again(const Sequence& ended) const {
    return std::find(served_beside_.begin(), served_beside_.end(), &ended) != served_beside_.end();
  }

 private:
  bool runs_ = false;
  std::vector<Sequence*> left_out_before_;
  std::vector<const Sequence*> served_beside_;
};

}  // namespace decodesim
