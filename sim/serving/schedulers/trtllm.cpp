// TensorRT-LLM's schedulers: a capacity rule decides over the active list who may hold memory, then a micro-batch of it
// gets tokens. The active list is all requests, running or not, by priority and arrival; who is paused keeps its place.
//
// Generations decode in lock-step and are not walked: the reservations of all of them are one sum, under MAX_UTILIZATION
// only those that need a block are asked, and they stand in the micro-batch as one candidate. What is walked: those that
// come behind a prompt in the list, to see who stands between, and those that a limit of the batch leaves out.

#include <algorithm>

#include "sim/core/check.hpp"
#include "sim/serving/policy_factories.hpp"
#include "sim/serving/reusable_memory.hpp"
#include "sim/serving/schedulers/trtllm_capacity.hpp"
#include "sim/serving/schedulers/trtllm_micro_batch.hpp"

namespace decodesim {

namespace {

enum class CapacityPolicy { guaranteed_no_evict, max_utilization, static_batch };

/// Smaller priorities are more urgent here. The key of a request never changes, so a victim returns to its place.
bool precedes(const Sequence& a, const Sequence& b) {
  if (a.request.priority != b.request.priority) return a.request.priority < b.request.priority;
  return a.arrival < b.arrival;
}

class Trtllm final : public Scheduler {
 public:
  Trtllm(CapacityPolicy policy, const ServerConfig& server, ReusableMemory& memory)
      : policy_(policy), max_num_requests_(server.scheduler.max_num_seqs), memory_(memory) {
    const SchedulerSpec& knobs = server.scheduler;
    limits_.max_batch_size = knobs.trtllm.max_batch_size.value_or(knobs.max_num_seqs);
    limits_.max_num_tokens = knobs.trtllm.max_num_tokens.value_or(knobs.max_num_batched_tokens);
    limits_.policy = knobs.trtllm.context_chunking_policy;
    limits_.chunk_unit = knobs.trtllm.chunk_unit.value_or(server.block_size);
    limits_.max_context_length = knobs.trtllm.max_context_length;
    discount_ = knobs.trtllm.microbatch_reuse_discount;
  }

  void plan(const ReplicaView& view, Draft& draft) override {
    contexts_.clear();
    completed_.clear();
    coming_.clear();
    limit_ = AdmissionLimit::arrivals;
    if (memory_.reuses() && policy_ != CapacityPolicy::static_batch) {
      for (Sequence* started : view.prefilling()) expect(memory_.first_new(*started));
    }
    if (policy_ == CapacityPolicy::max_utilization) {
      take_for_next_step(view, draft);
    } else {
      take_to_the_end(view);
    }
    share_tokens(view, draft);
    if (limit_ == AdmissionLimit::arrivals && view.anyone_waits()) limit_ = AdmissionLimit::policy;  // who is put off
    draft.limited_by(view.anyone_waits() ? limit_ : AdmissionLimit::arrivals);
  }

  [[nodiscard]] bool fits_alone(const ReplicaView& view, const Request& request,
                                std::int64_t output_tokens) const override {
    if (policy_ == CapacityPolicy::max_utilization) return Scheduler::fits_alone(view, request, output_tokens);
    return blocks_to_the_end(view, request) <= view.total_blocks();
  }

  void arrived(Sequence& sequence) override {
    if (notes_.size() <= sequence.slot) notes_.resize(sequence.slot + 1);
    notes_[sequence.slot] = {};
  }

  void step_ended(const ReplicaView&, Duration) override {
    for (const Sequence* sequence : completed_) memory_.store_context(*sequence);
    completed_.clear();
  }

  void ended(Sequence& sequence) override {
    reserved_ -= notes_[sequence.slot].reserved;
    reserved_ += in_table_of_reserved(sequence);
  }

 private:
  /// What is remembered of a sequence.
  struct Note {
    std::int64_t reserved = 0;  // blocks that it will have at its declared end; set when it starts to generate
  };
  /// A prompt that capacity took.
  struct Context {
    Sequence* sequence = nullptr;
    bool starts = false;         // holds nothing yet
    std::int64_t found = 0;      // tokens that came computed, if it starts
    std::int64_t remaining = 0;  // tokens to be computed, what it could reuse included
    std::int64_t need = 0;       // blocks that its start takes from the free ones
    std::int64_t reusable = 0;   // tokens in full blocks that it would find
  };
  enum class Asked { taken, put_off, stop };

  [[nodiscard]] static std::int64_t generations(const ReplicaView& view) {
    return view.running() - static_cast<std::int64_t>(view.prefilling().size());
  }

  // GUARANTEED_NO_EVICT and STATIC_BATCH -------------------------------------------------------------------------------

  /// Room for the prompt and all that the client asked for.
  [[nodiscard]] static std::int64_t blocks_to_the_end(const ReplicaView& view, const Request& request) {
    return view.blocks_for(std::min(request.input_tokens + request.max_tokens, view.max_model_len()));
  }
  [[nodiscard]] std::int64_t in_table_of_reserved(const Sequence& sequence) const {
    return notes_[sequence.slot].reserved > 0 ? static_cast<std::int64_t>(sequence.blocks.size()) : 0;
  }

  void take_to_the_end(const ReplicaView& view) {
    const std::int64_t generating = generations(view);
    if (policy_ == CapacityPolicy::static_batch && generating > 0) {
      limit_ = AdmissionLimit::policy;
      return;
    }
    ReservingCapacity capacity(view.free_blocks() - reserved_, max_num_requests_ - generating);
    std::size_t next_started = 0;
    const auto take_started = [&](const Sequence* before) {
      for (; next_started < view.prefilling().size(); ++next_started) {
        Sequence& started = *view.prefilling()[next_started];
        if (before != nullptr && !precedes(started, *before)) return true;
        const std::int64_t remaining =
            blocks_to_the_end(view, started.request) - static_cast<std::int64_t>(started.blocks.size());
        if (!taken(capacity.ask(remaining))) return false;
        contexts_.push_back({.sequence = &started, .remaining = started.known() - started.cached});
      }
      return true;
    };
    bool stopped = false;
    view.queue().walk([&](Sequence& waiting) {
      stopped = !take_started(&waiting);
      if (stopped) return false;
      Context context = newcomer(view, waiting);
      if (!waits_for_others(context)) {
        const std::int64_t shared = memory_.blocks_for(waiting.known()) - context.need;
        stopped = !taken(capacity.ask(blocks_to_the_end(view, waiting.request) - shared));
        if (!stopped) take(context);
      }
      return !stopped;
    });
    if (!stopped) take_started(nullptr);
  }

  bool taken(CapacityVerdict verdict) {
    if (verdict == CapacityVerdict::no_blocks) limit_ = AdmissionLimit::kv_capacity;
    if (verdict == CapacityVerdict::no_place) limit_ = AdmissionLimit::max_num_seqs;
    return verdict == CapacityVerdict::taken;
  }

  // Reuse --------------------------------------------------------------------------------------------------------------

  /// What a waiting sequence would need now.
  [[nodiscard]] Context newcomer(const ReplicaView& view, Sequence& waiting) const {
    Context context{.sequence = &waiting, .starts = true, .found = view.found_in_place(waiting)};
    context.remaining = waiting.known() - context.found;
    look_up(context);
    return context;
  }
  /// Blocks that others hold come without any from the free ones; others that it finds are among those.
  void look_up(Context& context) const {
    context.need = memory_.blocks_for(context.sequence->known());
    if (context.found > 0) return;
    const ReusableMemory::Reuse reuse = memory_.look_up(*context.sequence);
    context.need -= reuse.held;
    context.reusable = reuse.full * memory_.block_size();
  }

  /// Is it better off a pass later? The first block that it would fill is being filled for another prompt.
  [[nodiscard]] bool waits_for_others(const Context& context) const {
    if (!memory_.reuses() || policy_ == CapacityPolicy::static_batch || context.found > 0) return false;
    if (context.sequence->request.no_prefix_read) return false;
    const BlockTree::NewBlock first = memory_.first_new(*context.sequence);
    return first.parent != nullptr && std::find(coming_.begin(), coming_.end(), first) != coming_.end();
  }
  void expect(BlockTree::NewBlock block) {
    if (block.parent != nullptr) coming_.push_back(std::move(block));
  }
  void take(const Context& context) {
    const bool fills = memory_.reuses() && policy_ != CapacityPolicy::static_batch && context.found == 0;
    if (fills) expect(memory_.first_new(*context.sequence));
    contexts_.push_back(context);
  }

  // MAX_UTILIZATION ----------------------------------------------------------------------------------------------------

  // Of those that run, only who needs a block can fail for want of blocks. Want of places is known by counting: where
  // newcomers push the count above the limit, the last of the running are out, from `cut_` on.
  void take_for_next_step(const ReplicaView& view, Draft& draft) {
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
      stopped = take_newcomer(view, draft, waiting) == Asked::stop;
      return !stopped;
    });
    if (!stopped) extend_started(view, draft, nullptr);
    for (Sequence* started : view.prefilling()) {
      contexts_.push_back({.sequence = started, .remaining = started->known() - started->cached});
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
        pause(draft, victim, *next, EvictionReason::decode);
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

  Asked take_newcomer(const ReplicaView& view, Draft& draft, Sequence& waiting) {
    if (cut_ != nullptr) {
      const Sequence* within = ReplicaView::admitted_before(*cut_);
      if (within == nullptr || precedes(*within, waiting)) {
        cut(view, draft);
        return Asked::stop;
      }
    }
    for (;;) {
      const Context context = newcomer(view, waiting);
      if (waits_for_others(context)) return Asked::put_off;
      Sequence* last = view.last_admitted();
      if (last != nullptr && precedes(*last, waiting)) last = nullptr;
      // With somebody running behind it there is a place, unless newcomers have it.
      const std::int64_t places = last != nullptr ? 1 : max_num_requests_ - view.running() - newcomers_;
      if (taken(capacity_.ask(context.need, view.free_blocks(), places))) {
        take(context);
        break;
      }
      if (last == nullptr) return Asked::stop;
      pause(draft, *last, waiting, EvictionReason::admission);
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
    while (cut_ != nullptr) pause(draft, *view.last_admitted(), *last_newcomer_, EvictionReason::admission);
    return false;
  }

  void pause(Draft& draft, Sequence& victim, const Sequence& requester, EvictionReason reason) {
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
  }

  // The micro-batch ----------------------------------------------------------------------------------------------------

  void share_tokens(const ReplicaView& view, Draft& draft) {
    const std::vector<BatchCandidate> candidates = in_list_order(view);
    const MicroBatch batch = micro_batch(candidates, limits_);
    std::int64_t left_out = generations(view);
    for (const std::int64_t count : batch.advanced) left_out -= count;
    leave_out(view, draft, left_out);

    std::size_t next_context = 0;
    Sequence* next_boundary = view.cohort().at_boundary().front();
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      if (!candidates[i].context) continue;
      Context& context = contexts_[next_context++];
      next_boundary = grow_generations(view, next_boundary, context.sequence);
      const std::int64_t tokens = batch.shares[i].computed;
      if (tokens > 0 && compute(view, draft, context, tokens)) continue;
      if (context.starts) {
        limit_ = batch.stop == BatchStop::batch_size ? AdmissionLimit::max_num_seqs : AdmissionLimit::token_budget;
      }
    }
    grow_generations(view, next_boundary, nullptr);
  }

  /// What capacity took: the prompts, and the generations before, between and behind them.
  std::vector<BatchCandidate> in_list_order(const ReplicaView& view) {
    std::vector<BatchCandidate> backwards;
    std::int64_t rest = generations(view);
    Sequence* running = view.last_admitted();
    const auto add_generations = [&](std::int64_t count) {
      if (count > 0) backwards.push_back({.context = std::nullopt, .generations = count});
      rest -= count;
    };
    for (std::size_t i = contexts_.size(); i-- > 0;) {
      std::int64_t behind = 0;
      for (; running != nullptr && precedes(*contexts_[i].sequence, *running);
           running = ReplicaView::admitted_before(*running)) {
        if (running->state != SequenceState::prefilling) ++behind;
      }
      add_generations(behind);
      backwards.push_back({.context = ContextLeft{contexts_[i].remaining, discount_ ? contexts_[i].reusable : 0}});
    }
    add_generations(rest);
    return {backwards.rbegin(), backwards.rend()};
  }

  /// The last of the generations, so many, get no token in this pass; all others do.
  void leave_out(const ReplicaView& view, Draft& draft, std::int64_t count) {
    std::vector<Sequence*> left_out;
    for (Sequence* running = view.last_admitted(); static_cast<std::int64_t>(left_out.size()) < count;
         running = ReplicaView::admitted_before(*running)) {
      if (running->state == SequenceState::prefilling) continue;
      if (running->state == SequenceState::decoding) draft.stall(*running);
      left_out.push_back(running);
    }
    std::reverse(left_out.begin(), left_out.end());
    for (Sequence* stalled : stalled_) {
      if (left_out.empty() || stands_before(*stalled, *left_out.front())) draft.resume(*stalled);
    }
    stalled_ = std::move(left_out);
  }

  /// Gives their blocks to the generations from `next` on that stand before `before`; returns the next one.
  Sequence* grow_generations(const ReplicaView& view, Sequence* next, const Sequence* before) {
    for (; next != nullptr && (before == nullptr || precedes(*next, *before));
         next = LockStep::BoundaryList::after(*next)) {
      const std::int64_t missing = memory_.missing(*next, view.cached(*next) + 1);
      memory_.grow(*next, view.cached(*next) + 1);
      if (notes_[next->slot].reserved > 0) reserved_ -= missing;
    }
    return next;
  }

  /// False where it cannot start after all: a prompt must be computed whole, and what it was to reuse was handed out
  /// to others in this pass.
  bool compute(const ReplicaView& view, Draft& draft, const Context& context, std::int64_t tokens) {
    Sequence& sequence = *context.sequence;
    if (context.starts) {
      std::int64_t found = context.found > 0 ? context.found : memory_.look_up(sequence).tokens;
      if (limits_.policy == ChunkPolicy::none && sequence.known() - found > tokens) return false;
      // The first chunk takes the blocks of the whole prompt.
      if (context.found > 0) {
        memory_.grow(sequence, sequence.known());
      } else {
        found = memory_.start(sequence);
      }
      tokens = std::min(tokens, sequence.known() - found);
      draft.admit(sequence, found, tokens);
    } else {
      draft.serve(sequence, tokens);
    }
    if (sequence.cached + tokens < sequence.known()) return true;
    completed_.push_back(&sequence);
    if (policy_ == CapacityPolicy::max_utilization) return true;
    Note& note = notes_[sequence.slot];
    note.reserved = blocks_to_the_end(view, sequence.request);
    reserved_ += note.reserved - in_table_of_reserved(sequence);
    return true;
  }

  CapacityPolicy policy_;
  std::int64_t max_num_requests_;
  ReusableMemory& memory_;
  BatchLimits limits_;
  bool discount_;
  std::vector<Note> notes_;         // by slot
  std::int64_t reserved_ = 0;       // blocks that the generations will still allocate, if all run to their declared end
  std::vector<Sequence*> stalled_;  // generations that the last pass left out, in list order

  // One pass.
  std::vector<Context> contexts_;            // in list order
  std::vector<Sequence*> completed_;         // whose context this pass completes
  std::vector<BlockTree::NewBlock> coming_;  // that contexts of this pass or before are about to fill
  AdmissionLimit limit_ = AdmissionLimit::arrivals;
  NextStepCapacity capacity_;
  std::int64_t newcomers_ = 0;
  const Sequence* last_newcomer_ = nullptr;
  const Sequence* last_paused_ = nullptr;
  Sequence* cut_ = nullptr;
  Sequence* next_boundary_ = nullptr;
  std::size_t next_stalled_ = 0;
};

EngineParts make_trtllm(CapacityPolicy policy, const ServerConfig& server) {
  auto memory = std::make_unique<ReusableMemory>(server.usable_blocks, server.block_size, server.scheduler.trtllm);
  ReusableMemory& pages = *memory;
  return {.memory = std::move(memory),
          .queue_order = make_priority_order(server),
          .scheduler = std::make_unique<Trtllm>(policy, server, pages),
          .running_order = RunningOrder::priority_arrival};
}

}  // namespace

EngineParts make_trtllm_guaranteed_no_evict(const ServerConfig& server) {
  return make_trtllm(CapacityPolicy::guaranteed_no_evict, server);
}
EngineParts make_trtllm_max_utilization(const ServerConfig& server) {
  return make_trtllm(CapacityPolicy::max_utilization, server);
}
EngineParts make_trtllm_static_batch(const ServerConfig& server) {
  return make_trtllm(CapacityPolicy::static_batch, server);
}

}  // namespace decodesim
