// Prompts first, whole, in steps of their own; decoding sequences run when no prompt can start: vLLM V0. With chunked
// prefill decoding sequences come first, and chunks of prompts fill the step.

#include <algorithm>
#include <utility>
#include <vector>

#include "sim/core/check.hpp"
#include "sim/serving/merged_memory.hpp"
#include "sim/serving/policy_factories.hpp"
#include "sim/serving/schedulers/append_slots.hpp"

namespace decodesim {

namespace {

class PrefillFirst final : public Scheduler {
 public:
  PrefillFirst(const SchedulerSpec& knobs, MergedMemory& memory, std::unique_ptr<FateChoice> fate, bool swaps)
      : knobs_(knobs), memory_(memory), fate_(std::move(fate)), swaps_(swaps) {}

  void plan(const ReplicaView& view, Draft& draft) override {
    ran_ = view.running() > 0;
    prompts_ran_ = false;
    requeued_.clear();
    if (knobs_.enable_chunked_prefill) {
      plan_mixed(view, draft);
    } else {
      plan_apart(view, draft);
    }
    if (memory_.caches_prefixes()) note_computed(view, draft);
  }

  void step_ended(Duration lasted) override {
    if (prompts_ran_) last_prompt_step_ = lasted;
  }

  /// Beside its own growth a sequence meets the engine's rules: a prompt above the limit, or that leaves less than the
  /// watermark, is ignored; under the heuristic check a sequence that fills the pool evicts itself before each token, and
  /// must then start anew as a whole, since others may have taken what it could find; from the host it comes back with a
  /// block to spare.
  bool fits_alone(const ReplicaView& view, const Request& request, std::int64_t output_tokens) const override {
    const std::int64_t total = memory_.total();
    const std::int64_t written = request.input_tokens + output_tokens - 1;
    if (memory_.blocks_for(written) > total || !starts_alone(view, request.input_tokens)) return false;
    if (output_tokens == 1) return true;
    const std::int64_t held = memory_.blocks_for(written - 1);  // before its last token
    if (swaps_) return held + 1 <= total - view.watermark_blocks();
    const bool squeezed = knobs_.vllm_v0.append_check == AppendCheck::heuristic && held + 1 > total;
    return !squeezed || (written <= knobs_.max_num_batched_tokens && starts_alone(view, written));
  }

 private:
  // Prompts or decoding sequences, never both.
  void plan_apart(const ReplicaView& view, Draft& draft) {
    if (view.swapped().empty()) {
      admit(view, draft, knobs_.max_num_batched_tokens);
      if (prompts_ran_) return draft.pause_cohort();
    } else if (view.anyone_waits()) {
      draft.limited_by(AdmissionLimit::kv_capacity);  // who is on the host has precedence
    }
    decode(view, draft);
    std::int64_t left = knobs_.max_num_batched_tokens - view.cohort().size();
    if (!draft.evicted_any()) return swap_in(view, draft, left);
    draft.limited_by(AdmissionLimit::kv_capacity);
  }

  // Decoding sequences, then chunks that run, then the host, then the queue; also after an eviction, but for its victims.
  void plan_mixed(const ReplicaView& view, Draft& draft) {
    decode(view, draft);
    std::int64_t left = knobs_.max_num_batched_tokens - view.cohort().size();
    check(left >= 0, "nobody starts to run where the budget leaves no token");
    serve_chunks(view, draft, left);
    if (!draft.evicted_any()) swap_in(view, draft, left);
    admit(view, draft, left);
  }

  void decode(const ReplicaView& view, Draft& draft) {
    append_slots(view, memory_, knobs_.vllm_v0.append_check == AppendCheck::heuristic,
                 [&](Sequence& requester) -> Sequence& {
                   // The last of those whose turn is still to come: chunks come after all who decode.
                   Sequence& victim = view.prefilling().empty() ? *view.last_admitted() : *view.prefilling().back();
                   displace(view, draft, victim, requester, EvictionReason::decode);
                   return victim;
                 });
    if (!memory_.caches_prefixes()) return;
    for (Sequence* member = view.cohort().filling().front(); member != nullptr;
         member = LockStep::BoundaryList::after(*member)) {
      memory_.fill(*member, view.cached(*member));
    }
  }

  // What the pass computes is found from the next one on.
  void note_computed(const ReplicaView& view, const Draft& draft) {
    for (const Chunk& chunk : draft.chunks()) memory_.computed(*chunk.sequence, chunk.sequence->cached + chunk.tokens);
    if (prompts_ran_ && !knobs_.enable_chunked_prefill) return;  // who decodes waits
    for (Sequence* member = view.cohort().filling().front(); member != nullptr;
         member = LockStep::BoundaryList::after(*member)) {
      memory_.computed(*member, view.cached(*member) + 1);
    }
  }

  // Their blocks were taken at admission; the heuristic check wants a free one all the same.
  void serve_chunks(const ReplicaView& view, Draft& draft, std::int64_t& left) {
    for (std::size_t i = 0; i < view.prefilling().size() && left > 0; ++i) {
      Sequence& chunk = *view.prefilling()[i];
      const std::int64_t tokens = chunk_of(chunk.known() - chunk.cached, left);
      if (tokens == 0) return;
      while (knobs_.vllm_v0.append_check == AppendCheck::heuristic && memory_.free() == 0) {
        Sequence& victim = *view.prefilling().back();
        const bool itself = &victim == &chunk;
        displace(view, draft, victim, chunk, EvictionReason::prefill);
        if (itself) return;
      }
      draft.serve(chunk, tokens);
      left -= tokens;
    }
  }

  // What a chunked pass computes of so many tokens. With prefix caching a chunk that is cut is whole blocks, for which the
  // budget may be too small.
  [[nodiscard]] std::int64_t chunk_of(std::int64_t tokens, std::int64_t left) const {
    if (tokens <= left || !memory_.caches_prefixes()) return std::min(tokens, left);
    return left / memory_.block_size() * memory_.block_size();
  }

  void displace(const ReplicaView& view, Draft& draft, Sequence& victim, Sequence& requester, EvictionReason reason) {
    const KvFate fate =
        draft.displace(victim, {.requester = &requester, .reason = reason}, fate_->choose(view, victim));
    if (fate == KvFate::dropped) requeued_.push_back(&victim);
  }

  // From the host, in order of arrival; the first that finds no room blocks those behind it.
  void swap_in(const ReplicaView& view, Draft& draft, std::int64_t& left) {
    while (!view.swapped().empty()) {
      Sequence& first = *view.swapped().front();
      // One block more than it had, whether or not its next token starts one.
      const std::int64_t need = first.host_blocks + 1;
      if (need > memory_.total()) {
        draft.drop(first, reason_never_swapped_in);
        continue;
      }
      if (memory_.free() - need < view.watermark_blocks()) return draft.limited_by(AdmissionLimit::kv_capacity);
      if (view.running() >= knobs_.max_num_seqs) return draft.limited_by(AdmissionLimit::max_num_seqs);
      if (left <= 0) return draft.limited_by(AdmissionLimit::token_budget);
      check(memory_.grow(first, first.known()), "a sequence that comes back from the host has room");
      draft.swap_in(first);
      if (first.state == SequenceState::decoding) {
        left -= 1;
        continue;
      }
      const std::int64_t tokens = std::min(first.known() - first.cached, left);
      draft.serve(first, tokens);
      left -= tokens;
    }
  }

  void admit(const ReplicaView& view, Draft& draft, std::int64_t left) {
    // Who was evicted in this pass heads the queue and is passed over.
    std::deque<Sequence*>& queue = draft.queue_list();
    std::size_t place = 0;
    while (place < queue.size() && std::find(requeued_.begin(), requeued_.end(), queue[place]) != requeued_.end())
      ++place;
    if (place > 0) draft.limited_by(AdmissionLimit::kv_capacity);
    while (place < queue.size()) {
      Sequence& head = *queue[place];
      if (ran_ && !waited_enough(view, head)) return draft.limited_by(AdmissionLimit::policy);
      if (head.known() > prompt_limit(view)) {
        draft.drop(head, reason_prompt_limit);
        continue;
      }
      // The watermark holds for whoever comes in, whether or not anything runs.
      const std::int64_t need = memory_.blocks_for(head.known());
      if (memory_.total() - need < view.watermark_blocks()) {
        draft.drop(head, reason_never_fits);
        continue;
      }
      // What others hold needs no room, and what is found costs nothing of the budget.
      const MergedMemory::Beginning begins = memory_.beginning_of(head);
      if (memory_.free() - (need - begins.shared) < view.watermark_blocks())
        return draft.limited_by(AdmissionLimit::kv_capacity);
      const std::int64_t found = std::max(view.found_in_place(head), begins.found);
      std::int64_t tokens = head.known() - found;
      if (knobs_.enable_chunked_prefill) tokens = chunk_of(tokens, left);
      if (tokens > left || tokens == 0) return draft.limited_by(AdmissionLimit::token_budget);
      if (view.running() >= knobs_.max_num_seqs) return draft.limited_by(AdmissionLimit::max_num_seqs);
      check(memory_.take_known(head), "a sequence that is admitted has room");
      draft.admit(head, found, tokens);
      left -= tokens;
      prompts_ran_ = true;
    }
  }

  // The head is the oldest, since victims are younger than whoever runs and older than whoever never ran.
  [[nodiscard]] bool waited_enough(const ReplicaView& view, const Sequence& head) const {
    const double factor = knobs_.vllm_v0.delay_factor;
    if (!(factor > 0)) return true;
    const auto waited = static_cast<double>((view.now() - head.request.arrival).count());
    return waited > factor * static_cast<double>(last_prompt_step_.count());
  }

  [[nodiscard]] std::int64_t prompt_limit(const ReplicaView& view) const {
    if (knobs_.enable_chunked_prefill) return view.max_model_len();
    return std::min(view.max_model_len(), knobs_.max_num_batched_tokens);
  }

  // Would so many tokens be let in, and computed to their end, by an empty server?
  [[nodiscard]] bool starts_alone(const ReplicaView& view, std::int64_t tokens) const {
    if (tokens > prompt_limit(view)) return false;
    const std::int64_t left = memory_.total() - memory_.blocks_for(tokens);
    // A second chunk meets the heuristic check, like a token.
    const bool several = tokens > knobs_.max_num_batched_tokens;
    if (several && chunk_of(tokens, knobs_.max_num_batched_tokens) == 0) return false;
    return left >= view.watermark_blocks() &&
           (!several || knobs_.vllm_v0.append_check == AppendCheck::exact || left > 0);
  }

  SchedulerSpec knobs_;
  MergedMemory& memory_;
  std::unique_ptr<FateChoice> fate_;
  bool swaps_;
  Duration last_prompt_step_{};
  // Of the pass at hand.
  bool ran_ = false;          // something ran when it began
  bool prompts_ran_ = false;  // it admits prompts
  std::vector<Sequence*> requeued_;
};

}  // namespace

EngineParts make_vllm_v0(const ServerConfig& server) {
  const SchedulerSpec& knobs = server.scheduler;
  auto memory = std::make_unique<MergedMemory>(
      server.usable_blocks, server.block_size,
      PrefixCaching{.on = server.prefix_caching, .uncached_free_to_front = server.uncached_free_to_front});
  MergedMemory& pages = *memory;
  const bool swaps = knobs.vllm_v0.preemption_mode == PreemptionMode::swap;
  return {.memory = std::move(memory),
          .queue_order = nullptr,
          .scheduler = std::make_unique<PrefillFirst>(knobs, pages, make_fate(server, swaps ? "swapped" : "dropped"),
                                                      may_swap(knobs)),
          .running_order = RunningOrder::arrival};
}

bool vllm_v0_swaps(const SchedulerSpec& scheduler) {
  if (scheduler.policies.kv_fate) return *scheduler.policies.kv_fate != "dropped";
  return scheduler.vllm_v0.preemption_mode == PreemptionMode::swap;
}

}  // namespace decodesim
