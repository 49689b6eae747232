// Running sequences first, in order of admission, then the queue: the loop of vLLM V1.

#include <algorithm>
#include <utility>
#include <vector>

#include "sim/core/check.hpp"
#include "sim/serving/paged_memory.hpp"
#include "sim/serving/policy_factories.hpp"
#include "sim/serving/schedulers/running_first.hpp"

namespace decodesim {

namespace {

class RunningFirst final : public Scheduler {
 public:
  struct Policies {
    std::unique_ptr<AdmissionTest> admission;
    std::unique_ptr<VictimChoice> victim;
    Destination destination = Destination::head;
    bool admits_after_eviction = false;
  };

  RunningFirst(const SchedulerSpec& knobs, PagedMemory& memory, Policies policies)
      : knobs_(knobs), memory_(memory), policies_(std::move(policies)) {}

  void plan(const ReplicaView& view, Draft& draft) override {
    for (Sequence* sequence : left_out_) draft.resume(*sequence);
    left_out_.clear();
    next_decoding_ = nullptr;
    next_prompt_ = next_left_out_ = 0;
    // A token is set aside for every decoding sequence. More of them than the budget has tokens run only where passes
    // admitted without serving all that ran before.
    budget_ = knobs_.max_num_batched_tokens - view.cohort().size();
    if (budget_ < 0) leave_out_behind(view, draft, -budget_, before_all);
    serve_running(view, draft);
    left_out_.erase(left_out_.begin(), left_out_.begin() + static_cast<std::ptrdiff_t>(next_left_out_));
    if (draft.evicted_any() && !policies_.admits_after_eviction) {
      draft.limited_by(AdmissionLimit::kv_capacity);
    } else {
      admit(view, draft);
    }
  }

  bool fits_alone(const ReplicaView& view, const Request& request, std::int64_t output_tokens) const override {
    return Scheduler::fits_alone(view, request, output_tokens) && policies_.admission->admits_alone(view, request);
  }

  void ended(Sequence& sequence) override { policies_.admission->left(sequence); }

 private:
  static constexpr std::int64_t before_all = -1;  // no order of admission is so small

  // In order of admission: who decodes needs a block once every block_size steps, and only those are walked, with the
  // prompts and those who were left out.
  void serve_running(const ReplicaView& view, Draft& draft) {
    next_decoding_ = view.cohort().at_boundary().front();
    for (;;) {
      Sequence* prompt = next_prompt_ < view.prefilling().size() ? view.prefilling()[next_prompt_] : nullptr;
      Sequence* left_out = next_left_out_ < left_out_.size() ? left_out_[next_left_out_] : nullptr;
      Sequence* next = earlier(earlier(next_decoding_, prompt), left_out);
      if (next == nullptr) return;
      bool served = false;
      if (next == next_decoding_) {
        next_decoding_ = LockStep::BoundaryList::after(*next);
        served = make_room(view, draft, *next, view.cached(*next) + 1, EvictionReason::decode);
      } else if (next == prompt) {
        served = serve_prompt(view, draft, *next);
      } else {
        served = take_in(view, draft, *next);
      }
      // Who must evict itself ends the walk, and so does the end of the budget: those behind get nothing in this pass.
      if (!served) return leave_out_behind(view, draft, view.running(), next->order);
    }
  }

  static Sequence* earlier(Sequence* a, Sequence* b) {
    if (a == nullptr || b == nullptr) return a == nullptr ? b : a;
    return a->order < b->order ? a : b;
  }

  bool serve_prompt(const ReplicaView& view, Draft& draft, Sequence& prompt) {
    const std::int64_t missing = prompt.known() - prompt.cached;
    const std::int64_t wanted = within_threshold(missing);
    // What was set aside for those behind it is its own to take.
    if (wanted > budget_) leave_out_behind(view, draft, wanted - budget_, prompt.order);
    const std::int64_t tokens = std::min(wanted, budget_);
    if (tokens == 0) return false;
    const EvictionReason reason = missing == 1 ? EvictionReason::decode : EvictionReason::prefill;
    if (!make_room(view, draft, prompt, prompt.cached + tokens, reason)) return false;
    draft.serve(prompt, tokens);
    budget_ -= tokens;
    ++next_prompt_;
    return true;
  }

  // Serves a sequence that was left out, where the budget reaches it after all.
  bool take_in(const ReplicaView& view, Draft& draft, Sequence& left_out) {
    if (budget_ == 0 || !make_room(view, draft, left_out, left_out.cached + 1, EvictionReason::decode)) return false;
    draft.resume(left_out);
    budget_ -= 1;
    ++next_left_out_;
    return true;
  }

  // Leaves up to `count` decoding sequences that were admitted after `order` out of this pass, the last first, and takes
  // their tokens back into the budget. Looks at all behind the last that it leaves out.
  void leave_out_behind(const ReplicaView& view, Draft& draft, std::int64_t count, std::int64_t order) {
    const std::size_t before = left_out_.size();
    Sequence* last = view.last_admitted();
    for (; last != nullptr && last->order > order && count > 0; last = ReplicaView::admitted_before(*last)) {
      if (last->state != SequenceState::decoding) continue;
      if (last == next_decoding_) next_decoding_ = nullptr;  // all that follow it are left out already
      draft.stall(*last);
      left_out_.push_back(last);
      budget_ += 1;
      --count;
    }
    // They stand before those that were left out earlier.
    std::reverse(left_out_.begin() + static_cast<std::ptrdiff_t>(before), left_out_.end());
    std::rotate(left_out_.begin() + static_cast<std::ptrdiff_t>(next_left_out_),
                left_out_.begin() + static_cast<std::ptrdiff_t>(before), left_out_.end());
  }

  // Evicts until `requester` has its blocks for so many tokens; false where it had to evict itself.
  bool make_room(const ReplicaView& view, Draft& draft, Sequence& requester, std::int64_t tokens,
                 EvictionReason reason) {
    while (!memory_.grow(requester, tokens)) {
      Sequence& victim = policies_.victim->choose(view, requester);
      forget(draft, victim, requester);
      policies_.admission->left(victim);
      draft.evict(victim, {.requester = &requester, .reason = reason, .destination = policies_.destination});
      if (&victim == &requester) return false;
    }
    return true;
  }

  // Takes a victim out of the walk, and its tokens of this pass back into the budget.
  void forget(Draft& draft, Sequence& victim, const Sequence& requester) {
    if (victim.state == SequenceState::decoding) {
      if (&victim == next_decoding_) next_decoding_ = LockStep::BoundaryList::after(victim);
      budget_ += 1;
    } else if (victim.state == SequenceState::prefilling) {
      budget_ += draft.take_back(victim);
      if (victim.order < requester.order) --next_prompt_;
    } else {
      std::erase(left_out_, &victim);
    }
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
      if (!policies_.admission->admits(view, head, found, tokens, spared(view)))
        return draft.limited_by(AdmissionLimit::kv_capacity);
      check(memory_.grow(head, found + tokens), "a sequence that is admitted has room");
      policies_.admission->admitted(head, found + tokens == head.known());
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
  Policies policies_;
  // Of the pass at hand.
  std::int64_t budget_ = 0;            // tokens that are left, beyond one for each decoding sequence
  Sequence* next_decoding_ = nullptr;  // of those that need a block
  std::size_t next_prompt_ = 0;
  std::size_t next_left_out_ = 0;
  // Running sequences that would decode but got no token, in order of admission. They are stalled until the next pass.
  std::vector<Sequence*> left_out_;
};

}  // namespace

EngineParts make_running_first(const ServerConfig& server, const RunningFirstPolicies& own) {
  const SchedulerSpec& knobs = server.scheduler;
  auto memory = std::make_unique<PagedMemory>(server.usable_blocks, server.block_size);
  PagedMemory& pages = *memory;
  std::unique_ptr<QueueOrder> order = make_queue_order(server, own.queue_order);
  RunningFirst::Policies policies{.admission = make_admission(server, own.admission),
                                  .victim = make_victim(server, own.victim),
                                  .destination = destination_of(server, order != nullptr ? "by-key" : "head"),
                                  .admits_after_eviction = knobs.policies.after_eviction == "admit"};
  return {.memory = std::move(memory),
          .queue_order = std::move(order),
          .scheduler = std::make_unique<RunningFirst>(knobs, pages, std::move(policies))};
}

EngineParts make_vllm_v1(const ServerConfig& server) {
  const SchedulerSpec& knobs = server.scheduler;
  // Under priorities the queue and the victims change together, as the engine's own option does it.
  const bool urgent_first = knobs.policies.queue_order == "priority";
  return make_running_first(server, {.queue_order = "fcfs",
                                     .admission = knobs.reserve_full_isl ? "whole-sequence" : "first-chunk",
                                     .victim = urgent_first ? "lowest-priority" : "last-admitted"});
}

}  // namespace decodesim
