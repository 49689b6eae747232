// Running sequences first, in order of admission, then the queue: the loop of vLLM V1.

#include "sim/serving/schedulers/running_first.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "sim/core/check.hpp"
#include "sim/core/rounding.hpp"
#include "sim/serving/host_tier.hpp"
#include "sim/serving/paged_memory.hpp"
#include "sim/serving/schedulers/boundary_walk.hpp"
#include "sim/serving/schedulers/decoded_blocks.hpp"
#include "sim/serving/schedulers/grown_together.hpp"
#include "sim/serving/schedulers/kv_loads.hpp"
#include "sim/serving/schedulers/late_hashes.hpp"
#include "sim/serving/schedulers/step_in_flight.hpp"

namespace decodesim {

namespace {

class RunningFirst final : public Scheduler {
 public:
  struct Policies {
    std::unique_ptr<AdmissionTest> admission;
    std::unique_ptr<VictimChoice> victim;
    std::unique_ptr<FateChoice> fate;
    Destination destination = Destination::head;
    bool admits_after_eviction = false;
  };

  RunningFirst(const ServerConfig& server, PagedMemory& memory, Policies policies)
      : knobs_(server.scheduler),
        memory_(memory),
        policies_(std::move(policies)),
        late_hashes_(memory),
        decoded_(memory, late_hashes_, server.scheduler),
        loads_(server.scheduler.async),
        loads_from_host_beside_(server.host_cache.load == HostLoad::async),
        width_(1 + server.scheduler.speculative.draft_tokens),
        together_(memory, !server.scheduler.async && width_ == 1) {
    if (server.host_cache.chunks == 0) return;
    host_.emplace(server.host_cache, server.block_size);
    if (host_->writes_on_eviction()) memory_.keep_evicted();
  }

  void plan(const ReplicaView& view, Draft& draft) override {
    if (host_) host_->begin_pass();
    loads_.begin_pass(view, draft);
    memory_.defer_evicted(knobs_.defer_frees && in_flight_.runs());
    for (Sequence* sequence : left_out_) draft.resume(*sequence);
    in_flight_.begin_pass(left_out_);
    left_out_.clear();
    walk_.end();
    next_prompt_ = next_left_out_ = 0;
    // A token is set aside for every decoding sequence, and for each of its drafts. More of them than the budget has
    // tokens run only where passes admitted without serving all that ran before, or where those have drafts now.
    budget_ = knobs_.max_num_batched_tokens - view.cohort().size() * width_;
    if (budget_ < 0) leave_out_behind(view, draft, ceil_div(-budget_, width_), before_all);
    serve_running(view, draft);
    left_out_.erase(left_out_.begin(), left_out_.begin() + static_cast<std::ptrdiff_t>(next_left_out_));
    if (memory_.caches_prefixes()) {
      late_hashes_.register_served();
      if (!together_.grew()) decoded_.register_all(view);
    }
    if (draft.evicted_any() && !policies_.admits_after_eviction) {
      draft.limited_by(AdmissionLimit::kv_capacity);
    } else if (swap_in(view, draft)) {
      admit(view, draft);
    }
    late_hashes_.end_pass();
    if (host_) store(draft);
    in_flight_.end_pass(view.cohort().size() > 0 || !draft.chunks().empty());
  }

  bool fits_alone(const ReplicaView& view, const Request& request, std::int64_t output_tokens) const override {
    return Scheduler::fits_alone(view, request, output_tokens) && policies_.admission->admits_alone(view, request);
  }

  void ended(Sequence& sequence) override {
    late_hashes_.forget(sequence);
    // Who was evicted in the pass that applies its end has been told of already, and has no blocks.
    if (sequence.state == SequenceState::waiting) return;
    policies_.admission->left(sequence);
    together_.left(sequence);
    if (knobs_.defer_frees && in_flight_.serves_again(sequence)) memory_.defer_next_finished();
  }

  void left(Sequence& sequence) override {
    late_hashes_.forget(sequence);
    std::erase(left_out_, &sequence);
    const SequenceState state = sequence.state;
    if (state != SequenceState::decoding && state != SequenceState::prefilling && state != SequenceState::stalled)
      return;
    policies_.admission->left(sequence);
    together_.left(sequence);
  }

 private:
  static constexpr std::int64_t before_all = -1;  // no order of admission is so small

  // In order of admission: who decodes needs a block once every block_size steps, and only those are walked, with the
  // prompts and those who were left out.
  void serve_running(const ReplicaView& view, Draft& draft) {
    if (!together_.grow_all(view, budget_, !left_out_.empty()))
      walk_.begin(view.cohort(), view.slots_to_decode(0), view.block_size());
    for (;;) {
      Sequence* prompt = next_prompt_ < view.prefilling().size() ? view.prefilling()[next_prompt_] : nullptr;
      Sequence* left_out = next_left_out_ < left_out_.size() ? left_out_[next_left_out_] : nullptr;
      Sequence* other =
          left_out == nullptr || (prompt != nullptr && prompt->order < left_out->order) ? prompt : left_out;
      Sequence* decoding = walk_.give_before(
          other, [&](Sequence& one) { return memory_.grow(one, view.slots_to_decode(view.cohort().cached(one))); });
      Sequence* next = decoding != nullptr ? decoding : other;
      if (next == nullptr) return;
      bool served = false;
      if (next == decoding) {
        served = make_room(view, draft, *next, view.slots_to_decode(view.cached(*next)), EvictionReason::decode);
      } else {
        served = next == prompt ? serve_prompt(view, draft, *next) : take_in(view, draft, *next);
      }
      // Who must evict itself ends the walk, and so does the end of the budget: those behind get nothing in this pass.
      if (!served) return leave_out_behind(view, draft, view.running(), next->order);
    }
  }

  bool serve_prompt(const ReplicaView& view, Draft& draft, Sequence& prompt) {
    const std::int64_t missing = prompt.known() - prompt.cached;
    const std::int64_t wanted = within_threshold(missing);
    // What was set aside for those behind it is its own to take.
    if (wanted > budget_) leave_out_behind(view, draft, ceil_div(wanted - budget_, width_), prompt.order);
    const std::int64_t tokens = std::min(wanted, budget_);
    if (tokens == 0) return false;
    const EvictionReason reason = missing == 1 ? EvictionReason::decode : EvictionReason::prefill;
    if (!make_room(view, draft, prompt, prompt.cached + tokens, reason)) return false;
    if (knobs_.async && prompt.generated > prompt.generated_at_admission) {
      late_hashes_.note(prompt, prompt.cached);
    } else {
      memory_.register_full(prompt, prompt.cached, prompt.cached + tokens);
    }
    // A prompt goes on to the host; what a sequence that was over for a pass decodes does not.
    if (host_ && prompt.generated == prompt.generated_at_admission)
      host_->computed(prompt, prompt.cached, prompt.cached + tokens);
    draft.serve(prompt, tokens);
    if (knobs_.defer_frees) in_flight_.serves(prompt);
    budget_ -= tokens;
    ++next_prompt_;
    return true;
  }

  // Serves a sequence that was left out, where the budget reaches it after all. What is left of a budget that does not
  // hold it with its drafts goes to nobody.
  bool take_in(const ReplicaView& view, Draft& draft, Sequence& left_out) {
    if (budget_ < width_) budget_ = 0;
    const std::int64_t slots = view.slots_to_decode(left_out.cached);
    if (budget_ == 0 || !make_room(view, draft, left_out, slots, EvictionReason::decode)) return false;
    draft.resume(left_out);
    budget_ -= width_;
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
      walk_.pass(*last);
      draft.stall(*last);
      left_out_.push_back(last);
      budget_ += width_;
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
      const bool loses_token = knobs_.drop_in_flight && in_flight_.yields(victim);
      forget(view, draft, victim, requester);
      policies_.admission->left(victim);
      draft.displace(
          victim,
          {.requester = &requester, .reason = reason, .destination = policies_.destination, .loses_token = loses_token},
          policies_.fate->choose(view, victim));
      if (&victim == &requester) return false;
    }
    return true;
  }

  // Takes a victim out of the walk, and its tokens of this pass back into the budget.
  void forget(const ReplicaView& view, Draft& draft, Sequence& victim, const Sequence& requester) {
    // Who was served before the requester loses its token again, but not the hashes of the blocks that it filled. Not served
    // is who was left out, or has all its tokens as far as the server can count.
    const bool gets_tokens = victim.state == SequenceState::decoding || victim.state == SequenceState::prefilling;
    const bool was_served = gets_tokens && victim.order < requester.order;
    if (was_served) late_hashes_.register_those_of(victim);
    late_hashes_.forget(victim);
    if (host_) host_->taken_back(victim);
    if (victim.state == SequenceState::decoding) {
      if (was_served && !knobs_.async) decoded_.register_one(view, victim);
      walk_.pass(victim);
      budget_ += width_;
    } else if (victim.state == SequenceState::prefilling) {
      budget_ += draft.take_back(victim);
      if (victim.order < requester.order) --next_prompt_;
    } else {
      std::erase(left_out_, &victim);
    }
  }

  // Those on the host come back before anybody is admitted, in order of arrival, but not in a pass that evicted. False
  // where somebody is left there.
  bool swap_in(const ReplicaView& view, Draft& draft) {
    while (!view.swapped().empty()) {
      Sequence& first = *view.swapped().front();
      const std::int64_t tokens = std::min(within_threshold(first.known() - first.cached), budget_);
      AdmissionLimit limit = AdmissionLimit::arrivals;
      if (draft.evicted_any() || memory_.blocks_for(first.cached + tokens) + spared(view) > memory_.free())
        limit = AdmissionLimit::kv_capacity;
      if (view.running() >= knobs_.max_num_seqs) limit = AdmissionLimit::max_num_seqs;
      if (budget_ == 0) limit = AdmissionLimit::token_budget;
      if (limit != AdmissionLimit::arrivals) {
        draft.limited_by(limit);
        return false;
      }
      check(memory_.grow(first, first.cached + tokens), "a sequence that comes back from the host has room");
      policies_.admission->admitted(first, first.cached + tokens == first.known());
      draft.swap_in(first);
      if (first.state == SequenceState::prefilling) draft.serve(first, tokens);
      budget_ -= tokens;
    }
    return true;
  }

  // Who has loaded its KV stands before the queue, or at the place of its key. The first that does not fit blocks those
  // behind it: nobody is tried in its place. Who still loads is passed over.
  void admit(const ReplicaView& view, Draft& draft) {
    for (;;) {
      Sequence* loaded = loads_.next(view);
      if (loaded != nullptr && view.anyone_waits() && !view.queue().comes_first(*loaded, view.head_of_queue()))
        loaded = nullptr;
      if (loaded == nullptr && !view.anyone_waits()) {
        if (!view.loading().empty()) draft.limited_by(AdmissionLimit::kv_loads);
        return;
      }
      if (budget_ == 0) return draft.limited_by(AdmissionLimit::token_budget);
      if (view.running() >= knobs_.max_num_seqs) return draft.limited_by(AdmissionLimit::max_num_seqs);
      const AdmissionLimit limit =
          loaded != nullptr ? admit_loaded(view, draft, *loaded) : admit_head(view, draft, view.head_of_queue());
      if (limit != AdmissionLimit::arrivals) return draft.limited_by(limit);
    }
  }

  // These return what is in the way; nothing, `arrivals`.
  AdmissionLimit admit_loaded(const ReplicaView& view, Draft& draft, Sequence& loaded) {
    if (loaded.state == SequenceState::loading) {
      memory_.register_full(loaded, loaded.found_on_device, loaded.cached);
      draft.end_load(loaded);
    }
    const std::int64_t tokens = first_chunk(loaded.known() - loaded.cached);
    if (tokens == 0) return AdmissionLimit::token_budget;
    const std::int64_t spare = spared(view) - loaded.blocks_held();
    if (!policies_.admission->admits(view, loaded, loaded.cached, tokens, spare)) return AdmissionLimit::kv_capacity;
    start(draft, loaded, loaded.cached, loaded.cached, tokens);
    return AdmissionLimit::arrivals;
  }

  AdmissionLimit admit_head(const ReplicaView& view, Draft& draft, Sequence& head) {
    const PrefixHit hit = memory_.find_prefix(head);
    const std::int64_t on_device = std::max(view.found_in_place(head), hit.blocks * view.block_size());
    const bool elsewhere = head.request.remote_tokens > on_device && !head.asked_elsewhere;
    const std::int64_t found = elsewhere ? head.request.remote_tokens
                               : host_   ? host_->find(head, on_device)
                                         : on_device;
    if (elsewhere || (found > on_device && loads_from_host_beside_))
      return begin_load(view, draft, head, hit, on_device, found);

    const std::int64_t tokens = first_chunk(head.known() - found);
    if (tokens == 0) return AdmissionLimit::token_budget;
    // Blocks that it shares with others need no room; those that it finds among the free ones do.
    if (!policies_.admission->admits(view, head, found, tokens, spared(view) - (hit.blocks - hit.unreferenced)))
      return AdmissionLimit::kv_capacity;
    memory_.take_prefix(head, hit.blocks);
    if (host_) host_->use(head, on_device, found);
    start(draft, head, hit.blocks * view.block_size(), found, tokens);
    if (found > on_device)
      draft.load(head, found - on_device, memory_.blocks_for(found) - memory_.blocks_for(on_device));
    return AdmissionLimit::arrivals;
  }

  // What follows when `sequence` was found to fit: it computes `tokens` more. Its blocks can be found up to `registered`.
  void start(Draft& draft, Sequence& sequence, std::int64_t registered, std::int64_t found, std::int64_t tokens) {
    check(memory_.grow(sequence, found + tokens), "a sequence that is admitted has room");
    memory_.register_full(sequence, registered, found + tokens);
    policies_.admission->admitted(sequence, found + tokens == sequence.known());
    draft.admit(sequence, found, tokens);
    if (host_) host_->computed(sequence, found, found + tokens);
    budget_ -= tokens;
  }

  // Takes the blocks of all that `head` found, and leaves room for the rest of those that are under way.
  AdmissionLimit begin_load(const ReplicaView& view, Draft& draft, Sequence& head, const PrefixHit& hit,
                            std::int64_t on_device, std::int64_t found) {
    const std::int64_t spare = spared(view) - (hit.blocks - hit.unreferenced);
    const std::int64_t with_others = memory_.blocks_for(found) + spare + KvLoads::set_aside(view);
    if (!policies_.admission->admits(view, head, found, 0, spare) || with_others > view.free_blocks())
      return AdmissionLimit::kv_capacity;
    memory_.take_prefix(head, hit.blocks);
    if (host_) host_->use(head, on_device, found);
    check(memory_.grow(head, found), "a sequence that loads has room");
    Time ends = view.now() + head.request.load_time;
    if (host_) {
      const std::int64_t blocks = memory_.blocks_for(found) - memory_.blocks_for(on_device);
      ends = loads_.end_from_host(view, blocks);
      draft.load_beside(blocks);
    }
    head.asked_elsewhere = true;
    loads_.began(head);
    draft.begin_load(head, on_device, found, ends);
    return AdmissionLimit::arrivals;
  }

  void store(Draft& draft) {
    for (const std::uint64_t hash : memory_.take_evicted()) host_->evicted(hash);
    draft.store(host_->blocks_stored());
  }

  [[nodiscard]] std::int64_t within_threshold(std::int64_t tokens) const {
    return knobs_.long_prefill_token_threshold > 0 ? std::min(tokens, knobs_.long_prefill_token_threshold) : tokens;
  }

  // What the budget, of which something is left, allows of so many tokens; none where a whole prompt exceeds it.
  [[nodiscard]] std::int64_t first_chunk(std::int64_t lacking) const {
    const std::int64_t first = within_threshold(lacking);
    return knobs_.enable_chunked_prefill || first <= budget_ ? std::min(first, budget_) : 0;
  }

  // The watermark holds only while something runs, so that it can never keep an empty server empty.
  [[nodiscard]] std::int64_t spared(const ReplicaView& view) const {
    return view.running() == 0 ? 0 : view.watermark_blocks();
  }

  SchedulerSpec knobs_;
  PagedMemory& memory_;
  Policies policies_;
  std::optional<HostTier> host_;
  LateHashes late_hashes_;
  DecodedBlocks decoded_;
  KvLoads loads_;
  StepInFlight in_flight_;
  bool loads_from_host_beside_;
  std::int64_t width_;  // tokens of a decoding sequence in a step: its newest and its drafts
  GrownTogether together_;
  // Of the pass at hand.
  std::int64_t budget_ = 0;  // tokens that are left, beyond those of the decoding sequences
  BoundaryWalk walk_;        // over those that need a block, unless they grew together
  std::size_t next_prompt_ = 0;
  std::size_t next_left_out_ = 0;
  // Running sequences that would decode but got no token, in order of admission. They are stalled until the next pass.
  std::vector<Sequence*> left_out_;
};

}  // namespace

EngineParts make_running_first(const ServerConfig& server, const RunningFirstPolicies& own) {
  const SchedulerSpec& knobs = server.scheduler;
  const bool last_first = knobs.policies.victim.value_or(std::string(own.victim)) == "last-admitted";
  auto memory = std::make_unique<PagedMemory>(
      server.usable_blocks, server.block_size,
      PrefixCaching{.on = server.prefix_caching,
                    .uncached_free_to_front = server.uncached_free_to_front,
                    .victims_find_all = last_first && !knobs.defer_frees && !knobs.drop_in_flight});
  PagedMemory& pages = *memory;
  std::unique_ptr<QueueOrder> order = make_queue_order(server, own.queue_order);
  if (order != nullptr) order->finds_in(pages);
  RunningFirst::Policies policies{.admission = make_admission(server, own.admission),
                                  .victim = make_victim(server, own.victim),
                                  .fate = make_fate(server, "dropped"),
                                  .destination = destination_of(server, order != nullptr ? "by-key" : "head"),
                                  .admits_after_eviction = knobs.policies.after_eviction == "admit"};
  return {.memory = std::move(memory),
          .queue_order = std::move(order),
          .scheduler = std::make_unique<RunningFirst>(server, pages, std::move(policies)),
          .plans_ahead = knobs.async ? PlansAhead::of_endings : PlansAhead::no};
}

}  // namespace decodesim
