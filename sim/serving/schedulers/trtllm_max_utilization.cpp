// MAX_UTILIZATION: who has room for the next step may run, and where that is short the last of the list that has started is
// paused.

#include <algorithm>

#include "sim/serving/policy_factories.hpp"
#include "sim/serving/schedulers/trtllm.hpp"

namespace decodesim {

namespace {

class MaxUtilization final : public TrtllmScheduler {
 public:
  MaxUtilization(const ServerConfig& server, ReusableMemory& memory) : TrtllmScheduler(server, memory, true) {}

 private:
  enum class Asked { taken, put_off, stop };

  // Of those that run, only who needs a block can fail for want of blocks. Want of places is known by counting: where
  // newcomers push the count above the limit, the last of the running are out, from `cut_` on.
  void take(const ReplicaView& view, Draft& draft) override {
    capacity_ = NextStepCapacity();
    newcomers_ = 0;
    cut_ = nullptr;
    last_paused_ = nullptr;
    last_newcomer_ = nullptr;
    next_boundary_ = view.cohort().at_boundary().front();
    next_stalled_ = 0;
    bool stopped = false;
    view.queue().walk([&](Sequence& waiting) {
      stopped = !extend_started(view, draft, &waiting);
      // Whom this pass paused, and all behind them, are not asked.
      if (stopped || (last_paused_ != nullptr && !precedes(waiting, *last_paused_))) return false;
      stopped = ask(view, draft, waiting) == Asked::stop;
      return !stopped;
    });
    if (!stopped) extend_started(view, draft, nullptr);
    for (Sequence* started : view.prefilling()) {
      contexts_.push_back(going_on(*started));
    }
    std::sort(contexts_.begin(), contexts_.end(),
              [](const Context& a, const Context& b) { return precedes(*a.sequence, *b.sequence); });
  }

  /// Those that run and stand before `before`, all of them where there is none. False where the walk over the list ends.
  bool extend_started(const ReplicaView& view, Draft& draft, const Sequence* before) {
    for (;;) {
      Sequence* next = next_in_need();
      if (next != nullptr && before != nullptr && !precedes(*next, *before)) next = nullptr;
      if (cut_ != nullptr &&
          (next != nullptr ? !stands_before(*next, *cut_) : before == nullptr || precedes(*cut_, *before))) {
        return cut(view, draft);
      }
      if (next == nullptr) return true;
      while (!taken(capacity_.ask(1, view.free_blocks(), 1))) {
        Sequence& victim = *view.last_admitted();
        pause(view, draft, victim, *next, EvictionReason::decode);
        if (&victim == next) return false;
      }
      if (next == next_boundary_) {
        next_boundary_ = LockStep::BoundaryList::after(*next);
      } else {
        ++next_stalled_;
      }
    }
  }

  /// The next of the generations that needs a block for its token.
  Sequence* next_in_need() {
    while (next_stalled_ < stalled_.size() &&
           memory_.missing(*stalled_[next_stalled_], stalled_[next_stalled_]->cached + 1) == 0) {
      ++next_stalled_;
    }
    Sequence* stalled = next_stalled_ < stalled_.size() ? stalled_[next_stalled_] : nullptr;
    if (stalled == nullptr) return next_boundary_;
    return next_boundary_ != nullptr && stands_before(*next_boundary_, *stalled) ? next_boundary_ : stalled;
  }

  Asked ask(const ReplicaView& view, Draft& draft, Sequence& waiting) {
    if (cut_ != nullptr) {
      const Sequence* within = ReplicaView::admitted_before(*cut_);
      if (within == nullptr || precedes(*within, waiting)) {
        cut(view, draft);
        return Asked::stop;
      }
    }
    for (;;) {
      Context context = newcomer(view, waiting);
      if (waits_for_others(context)) return Asked::put_off;
      Sequence* last = view.last_admitted();
      if (last != nullptr && precedes(*last, waiting)) last = nullptr;
      // With somebody running behind it there is a place, unless newcomers have it.
      const std::int64_t places = last != nullptr ? 1 : max_num_requests_ - view.running() - newcomers_;
      if (places > 0) look_up(context);
      if (taken(capacity_.ask(context.need, view.free_blocks(), places))) {
        take_newcomer(context);
        break;
      }
      if (last == nullptr) return Asked::stop;
      pause(view, draft, *last, waiting, EvictionReason::admission);
    }
    ++newcomers_;
    last_newcomer_ = &waiting;
    if (view.running() + newcomers_ > max_num_requests_) {
      cut_ = cut_ != nullptr ? ReplicaView::admitted_before(*cut_) : view.last_admitted();
    }
    return Asked::taken;
  }

  /// The places are gone: who still stands behind makes room for the newcomers.
  bool cut(const ReplicaView& view, Draft& draft) {
    limit_ = AdmissionLimit::max_num_seqs;
    while (cut_ != nullptr) pause(view, draft, *view.last_admitted(), *last_newcomer_, EvictionReason::admission);
    return false;
  }

  void pause(const ReplicaView& view, Draft& draft, Sequence& victim, const Sequence& requester,
             EvictionReason reason) {
    if (next_boundary_ == &victim && &victim != &requester) next_boundary_ = nullptr;
    if (cut_ == &victim) cut_ = nullptr;
    std::erase(stalled_, &victim);
    last_paused_ = &victim;
    draft.evict(victim, {.requester = &requester, .reason = reason});
    // What newcomers of this pass would have shared with the victim is free now, and what it had can be found.
    for (Context& context : contexts_) {
      const std::int64_t before = context.need;
      look_up(context);
      capacity_.add(context.need - before);
    }
    expect_blocks(view);
  }

  // One pass.
  NextStepCapacity capacity_;
  std::int64_t newcomers_ = 0;
  const Sequence* last_newcomer_ = nullptr;
  const Sequence* last_paused_ = nullptr;
  Sequence* cut_ = nullptr;
  Sequence* next_boundary_ = nullptr;
  std::size_t next_stalled_ = 0;
};

}  // namespace

EngineParts make_trtllm_max_utilization(const ServerConfig& server) {
  auto memory = std::make_unique<ReusableMemory>(server.usable_blocks, server.block_size, server.scheduler.trtllm);
  ReusableMemory& blocks = *memory;
  return {.memory = std::move(memory),
          .queue_order = make_priority_order(server),
          .scheduler = std::make_unique<MaxUtilization>(server, blocks),
          .running_order = RunningOrder::priority_arrival};
}

}  // namespace decodesim
