// Running sequences first, in order of admission, then the queue: the loop of vLLM V1.

#include <algorithm>

#include "sim/core/check.hpp"
#include "sim/serving/paged_memory.hpp"
#include "sim/serving/policy_table.hpp"

namespace decodesim {

namespace {

class RunningFirst final : public Scheduler {
 public:
  RunningFirst(const SchedulerSpec& knobs, PagedMemory& memory, std::unique_ptr<AdmissionTest> admission,
               std::unique_ptr<VictimChoice> victim)
      : knobs_(knobs), memory_(memory), admission_(std::move(admission)), victim_(std::move(victim)) {}

  void plan(const ReplicaView& view, Draft& draft) override {
    budget_ = knobs_.max_num_batched_tokens - view.cohort().size();
    check(budget_ >= 0, "no more sequences decode than the token budget allows");
    serve_running(view, draft);
    // A pass that preempted admits nobody, even where the eviction freed more than was needed.
    if (draft.evicted_any()) {
      draft.limited_by(AdmissionLimit::kv_capacity);
    } else {
      admit(view, draft);
    }
  }

 private:
  // In order of admission: who decodes needs a block once every block_size steps, and only those are walked.
  void serve_running(const ReplicaView& view, Draft& draft) {
    next_decoding_ = view.cohort().at_boundary().front();
    std::size_t prefilling = 0;
    for (;;) {
      Sequence* prompt = prefilling < view.prefilling().size() ? view.prefilling()[prefilling] : nullptr;
      if (next_decoding_ == nullptr && prompt == nullptr) return;
      if (prompt == nullptr || (next_decoding_ != nullptr && next_decoding_->order < prompt->order)) {
        Sequence& decoding = *next_decoding_;
        next_decoding_ = LockStep::BoundaryList::after(decoding);
        if (!make_room(view, draft, decoding, view.cached(decoding) + 1, EvictionReason::decode)) return;
      } else {
        const std::int64_t missing = prompt->known() - prompt->cached;
        const std::int64_t tokens = std::min(within_threshold(missing), budget_);
        check(tokens > 0, "the token budget reaches every running sequence");
        const EvictionReason reason = missing == 1 ? EvictionReason::decode : EvictionReason::prefill;
        if (!make_room(view, draft, *prompt, prompt->cached + tokens, reason)) return;
        draft.serve(*prompt, tokens);
        budget_ -= tokens;
        ++prefilling;
      }
    }
  }

  // Evicts until `requester` has its blocks for so many tokens; false where it had to evict itself, or where nobody is
  // left to be served after it.
  bool make_room(const ReplicaView& view, Draft& draft, Sequence& requester, std::int64_t tokens,
                 EvictionReason reason) {
    while (!memory_.grow(requester, tokens)) {
      Sequence& victim = victim_->choose(view, requester);
      if (&victim == next_decoding_) next_decoding_ = LockStep::BoundaryList::after(victim);
      draft.evict(victim, {.requester = &requester, .reason = reason});
      if (&victim == &requester) return false;
    }
    return true;
  }

  void admit(const ReplicaView& view, Draft& draft) {
    while (view.anyone_waits()) {
      if (budget_ == 0) return draft.limited_by(AdmissionLimit::token_budget);
      if (view.running() >= knobs_.max_num_seqs) return draft.limited_by(AdmissionLimit::max_num_seqs);
      Sequence& head = view.head_of_queue();
      const std::int64_t found = view.found_in_place(head);
      std::int64_t tokens = within_threshold(head.known() - found);
      if (!knobs_.enable_chunked_prefill && tokens > budget_) return draft.limited_by(AdmissionLimit::token_budget);
      tokens = std::min(tokens, budget_);
      // The head of the queue blocks those behind it: nobody is tried in its place.
      if (!admission_->admits(view, head, found, tokens, spared(view)))
        return draft.limited_by(AdmissionLimit::kv_capacity);
      check(memory_.grow(head, found + tokens), "a sequence that is admitted has room");
      draft.admit(head, found, tokens);
      budget_ -= tokens;
    }
  }

  [[nodiscard]] std::int64_t within_threshold(std::int64_t tokens) const {
    return knobs_.long_prefill_token_threshold > 0 ? std::min(tokens, knobs_.long_prefill_token_threshold) : tokens;
  }

  // The watermark holds only while something runs, so that it can never keep an empty server empty.
  [[nodiscard]] std::int64_t spared(const ReplicaView& view) const {
    if (view.running() == 0) return 0;
    return static_cast<std::int64_t>(knobs_.watermark * static_cast<double>(view.num_blocks()));
  }

  SchedulerSpec knobs_;
  PagedMemory& memory_;
  std::unique_ptr<AdmissionTest> admission_;
  std::unique_ptr<VictimChoice> victim_;
  std::int64_t budget_ = 0;            // tokens that are left in this pass
  Sequence* next_decoding_ = nullptr;  // of those that need a block
};

}  // namespace

EngineParts make_vllm_v1(const ServerConfig& server) {
  const SchedulerSpec& knobs = server.scheduler;
  auto memory = std::make_unique<PagedMemory>(server.usable_blocks, server.block_size);
  PagedMemory& pages = *memory;
  auto admission = knobs.reserve_full_isl ? make_whole_sequence_admission() : make_first_chunk_admission();
  return {.memory = std::move(memory),
          .queue_order = nullptr,
          .scheduler = std::make_unique<RunningFirst>(knobs, pages, std::move(admission), make_last_admitted_victim()),
          .plans_ahead = knobs.async};
}

}  // namespace decodesim
