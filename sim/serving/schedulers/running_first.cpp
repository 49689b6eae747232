// Running sequences first, in order of admission, then the queue: the loop of vLLM V1.

#include <algorithm>

#include "sim/serving/policy_table.hpp"

namespace decodesim {

namespace {

class RunningFirst final : public Scheduler {
 public:
  RunningFirst(const SchedulerSpec& knobs, std::unique_ptr<AdmissionTest> admission,
               std::unique_ptr<VictimChoice> victim)
      : knobs_(knobs), admission_(std::move(admission)), victim_(std::move(victim)) {}

  void plan(const ReplicaView& view, Draft& draft) override {
    const std::int64_t budget = draft.serve_running(knobs_.max_num_batched_tokens, knobs_.long_prefill_token_threshold);
    make_room(view, draft);
    // A pass that preempted admits nobody, even where the eviction freed more than was needed.
    if (draft.preempted_any()) {
      draft.limited_by(AdmissionLimit::kv_capacity);
    } else {
      admit(view, draft, budget);
    }
  }

 private:
  void make_room(const ReplicaView& view, Draft& draft) const {
    while (Sequence* requester = draft.allocate_running()) draft.preempt(victim_->choose(view, *requester), *requester);
  }

  void admit(const ReplicaView& view, Draft& draft, std::int64_t budget) const {
    while (view.anyone_waits()) {
      if (budget == 0) return draft.limited_by(AdmissionLimit::token_budget);
      if (view.running() >= knobs_.max_num_seqs) return draft.limited_by(AdmissionLimit::max_num_seqs);
      const Sequence& head = view.head_of_queue();
      const std::int64_t found = view.found_in_place(head);
      std::int64_t tokens = head.known() - found;
      if (knobs_.long_prefill_token_threshold > 0) tokens = std::min(tokens, knobs_.long_prefill_token_threshold);
      if (!knobs_.enable_chunked_prefill && tokens > budget) return draft.limited_by(AdmissionLimit::token_budget);
      tokens = std::min(tokens, budget);
      // The head of the queue blocks those behind it: nobody is tried in its place.
      if (!admission_->admits(view, head, found, tokens, spared(view)))
        return draft.limited_by(AdmissionLimit::kv_capacity);
      draft.admit_head(found, tokens);
      budget -= tokens;
    }
  }

  // The watermark holds only while something runs, so that it can never keep an empty server empty.
  [[nodiscard]] std::int64_t spared(const ReplicaView& view) const {
    if (view.running() == 0) return 0;
    return static_cast<std::int64_t>(knobs_.watermark * static_cast<double>(view.num_blocks()));
  }

  SchedulerSpec knobs_;
  std::unique_ptr<AdmissionTest> admission_;
  std::unique_ptr<VictimChoice> victim_;
};

}  // namespace

std::unique_ptr<Scheduler> make_running_first(const SchedulerSpec& knobs, std::unique_ptr<AdmissionTest> admission,
                                              std::unique_ptr<VictimChoice> victim) {
  return std::make_unique<RunningFirst>(knobs, std::move(admission), std::move(victim));
}

}  // namespace decodesim
