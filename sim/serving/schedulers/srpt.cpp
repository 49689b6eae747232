// Shortest remaining work first, decided anew in every pass: of all that are here, those that are predicted to lack the
// fewest tokens run. Who is left out keeps its KV while memory allows; who needs room takes it from the last in rank, and
// what was evicted is computed again.

#include <algorithm>
#include <set>

#include "sim/core/check.hpp"
#include "sim/serving/ageing.hpp"
#include "sim/serving/paged_memory.hpp"
#include "sim/serving/policy_factories.hpp"

namespace decodesim {

namespace {

/// The rank is by (lacking tokens less what waiting counts, lacking tokens, arrival). A pass walks it from the first:
///
///  * who has KV needs its next block, if any, and gets one token;
///  * who has none needs room for all its known tokens and computes them in this pass. Prompts beyond the token budget
///    close the pass to prompts, but the first one is always let in;
///  * room is taken from the last in rank of those that hold KV behind it. Where all of them do not have enough, who
///    decodes gives up its own KV, and who waits closes the pass to prompts;
///  * the walk ends with `max_num_seqs` sequences. Who is left holds its KV and waits.
///
/// While nobody comes or goes, those that run stay the first in rank: each step they lack one token less. So only those
/// are looked at that need a block, and the best outsider against the worst member. Only where a prompt asks for room are
/// the holders behind it counted, until there is enough.
class Srpt final : public Scheduler {
 public:
  Srpt(const ServerConfig& server, PagedMemory& memory)
      : knobs_(server.scheduler),
        memory_(memory),
        ageing_(server.scheduler.ageing),
        waiting_order_(make_srpt_order(server)),
        paused_(WaitingRank{waiting_order_.get()}),
        batch_(BatchRank{ageing_}) {}

  void plan(const ReplicaView& view, Draft& draft) override {
    for (Sequence* sequence : admitted_) batch_.insert(sequence);
    admitted_.clear();
    budget_ = knobs_.max_num_batched_tokens;
    closed_ = AdmissionLimit::arrivals;
    collect_boundary(view);
    while (serve_next(view, draft)) {
    }
    if (!view.anyone_waits()) return;
    draft.limited_by(closed_ == AdmissionLimit::arrivals ? AdmissionLimit::max_num_seqs : closed_);
  }

  void ended(Sequence& sequence) override {
    if (std::erase(admitted_, &sequence) == 0) batch_.erase(&sequence);
  }

  void left(Sequence& sequence) override {
    if (sequence.state == SequenceState::waiting) return;
    sequence.state == SequenceState::stalled ? (void)paused_.erase(&sequence) : ended(sequence);
  }

 private:
  // The rank among those that wait, with or without KV: what they lack stands still, and their waiting grows alike.
  struct WaitingRank {
    const QueueOrder* order;
    bool operator()(const Sequence* a, const Sequence* b) const { return order->before(*a, *b); }
  };
  // The rank among those that run: what they lack shrinks alike, so it is compared as of the cohort's step 0.
  struct BatchRank {
    Ageing ageing;
    static Aged as_of_zero(const Sequence& one) {
      return {one.predicted + one.request.input_tokens - one.cached_at_zero, one.waited, one.request.index};
    }
    bool operator()(const Sequence* a, const Sequence* b) const {
      return ageing.before(as_of_zero(*a), as_of_zero(*b));
    }
  };

  // The rank of one that waits against one that runs, or against any.
  [[nodiscard]] bool before(const ReplicaView& view, const Sequence& a, const Sequence& b) const {
    const auto aged = [&](const Sequence& one) {
      return Aged{one.predicted - view.generated(one), view.waited(one), one.request.index};
    };
    return ageing_.before(aged(a), aged(b));
  }

  void collect_boundary(const ReplicaView& view) {
    boundary_.clear();
    for (Sequence* one = view.cohort().at_boundary().front(); one != nullptr; one = LockStep::BoundaryList::after(*one))
      boundary_.push_back(one);
    std::sort(boundary_.begin(), boundary_.end(), BatchRank{ageing_});
    next_boundary_ = 0;
  }

  // Serves the next in rank that changes anything; false where the rest gets nothing.
  bool serve_next(const ReplicaView& view, Draft& draft) {
    Sequence* outsider = best_outsider(view);
    Sequence* member = next_member();
    if (member != nullptr && (outsider == nullptr || before(view, *member, *outsider))) {
      ++next_boundary_;
      if (!take_room(view, draft, *member, view.cached(*member) + 1)) give_up_room(draft, *member);
      return true;
    }
    if (outsider == nullptr) return false;
    if (full() && (batch_.empty() || before(view, **batch_.rbegin(), *outsider))) return false;
    if (outsider->state == SequenceState::stalled) return resume(view, draft, *outsider);
    admit(view, draft, *outsider);
    return true;
  }

  // The next member that needs a block and still runs.
  Sequence* next_member() {
    while (next_boundary_ < boundary_.size() && boundary_[next_boundary_]->state != SequenceState::decoding)
      ++next_boundary_;
    return next_boundary_ < boundary_.size() ? boundary_[next_boundary_] : nullptr;
  }

  // The first in rank of those that could begin or go on.
  [[nodiscard]] Sequence* best_outsider(const ReplicaView& view) const {
    Sequence* paused = paused_.empty() ? nullptr : *paused_.begin();
    Sequence* prompt = closed() || !view.anyone_waits() ? nullptr : &view.head_of_queue();
    if (paused == nullptr || prompt == nullptr) return paused == nullptr ? prompt : paused;
    return waiting_order_->before(*prompt, *paused) ? prompt : paused;
  }

  [[nodiscard]] bool closed() const { return closed_ != AdmissionLimit::arrivals; }
  [[nodiscard]] bool full() const {
    return static_cast<std::int64_t>(batch_.size() + admitted_.size()) >= knobs_.max_num_seqs;
  }

  // Lets one who kept its KV go on. Where it lacks a block, nothing is left for anybody behind it either.
  bool resume(const ReplicaView& view, Draft& draft, Sequence& paused) {
    if (!take_room(view, draft, paused, paused.cached + 1)) {
      closed_ = AdmissionLimit::kv_capacity;
      // The first in rank must not wait for memory that it holds itself.
      if (batch_.empty() && admitted_.empty()) give_up_room(draft, paused);
      return false;
    }
    paused_.erase(&paused);
    make_place(draft);
    draft.resume(paused);
    batch_.insert(&paused);
    return true;
  }

  void admit(const ReplicaView& view, Draft& draft, Sequence& waiting) {
    const std::int64_t found = view.found_in_place(waiting);
    const std::int64_t tokens = waiting.known() - found;
    if (tokens > budget_ && !admitted_.empty()) {
      closed_ = AdmissionLimit::token_budget;
      return;
    }
    if (!could_have_room(view, waiting)) {
      closed_ = AdmissionLimit::kv_capacity;
      return;
    }
    check(take_room(view, draft, waiting, waiting.known()), "those behind a sequence have the room that was counted");
    make_place(draft);
    draft.admit(waiting, found, tokens);
    admitted_.push_back(&waiting);
    budget_ -= tokens;
  }

  // Leaves the last member out where all places are taken.
  void make_place(Draft& draft) {
    if (!full()) return;
    Sequence* last = *batch_.rbegin();
    batch_.erase(std::prev(batch_.end()));
    draft.stall(*last);
    paused_.insert(last);
  }

  // Are enough blocks free or held by those behind it? Looks at these from the last in rank until there are.
  [[nodiscard]] bool could_have_room(const ReplicaView& view, const Sequence& waiting) const {
    std::int64_t lacking = memory_.missing(waiting, waiting.known()) - memory_.free();
    auto member = batch_.rbegin();
    auto paused = paused_.rbegin();
    while (lacking > 0) {
      Sequence* last =
          later(view, member == batch_.rend() ? nullptr : *member, paused == paused_.rend() ? nullptr : *paused);
      if (last == nullptr || before(view, *last, waiting)) return false;
      lacking -= last->blocks_held();
      last->state == SequenceState::stalled ? (void)++paused : (void)++member;
    }
    return true;
  }

  // Makes the table of `sequence` long enough for so many tokens, if need be with blocks of those behind it, the last in
  // rank first; false where nobody is behind it any more.
  bool take_room(const ReplicaView& view, Draft& draft, Sequence& sequence, std::int64_t tokens) {
    while (!memory_.grow(sequence, tokens)) {
      Sequence* victim =
          later(view, batch_.empty() ? nullptr : *batch_.rbegin(), paused_.empty() ? nullptr : *paused_.rbegin());
      if (victim == nullptr || victim == &sequence || before(view, *victim, sequence)) return false;
      evict(draft, *victim, sequence);
    }
    return true;
  }

  [[nodiscard]] Sequence* later(const ReplicaView& view, Sequence* a, Sequence* b) const {
    if (a == nullptr || b == nullptr) return a == nullptr ? b : a;
    return before(view, *a, *b) ? b : a;
  }

  void give_up_room(Draft& draft, Sequence& sequence) {
    closed_ = AdmissionLimit::kv_capacity;
    evict(draft, sequence, sequence);
  }

  void evict(Draft& draft, Sequence& victim, const Sequence& requester) {
    victim.state == SequenceState::stalled ? paused_.erase(&victim) : batch_.erase(&victim);
    const bool decodes = requester.state != SequenceState::waiting;
    draft.evict(victim,
                {.requester = &requester, .reason = decodes ? EvictionReason::decode : EvictionReason::admission});
  }

  SchedulerSpec knobs_;
  PagedMemory& memory_;
  Ageing ageing_;
  std::unique_ptr<QueueOrder> waiting_order_;
  std::set<Sequence*, WaitingRank> paused_;  // who holds KV and gets no token
  std::set<Sequence*, BatchRank> batch_;     // the cohort
  std::vector<Sequence*> admitted_;          // in the last pass; they join the cohort at its end
  // Of the pass at hand.
  std::vector<Sequence*> boundary_;  // members that need a block, by rank
  std::size_t next_boundary_ = 0;
  std::int64_t budget_ = 0;                           // tokens of prompts that are left
  AdmissionLimit closed_ = AdmissionLimit::arrivals;  // why no more prompts are let in, if so
};

}  // namespace

EngineParts make_srpt(const ServerConfig& server) {
  auto memory = std::make_unique<PagedMemory>(server.usable_blocks, server.block_size);
  PagedMemory& pages = *memory;
  return {.memory = std::move(memory),
          .queue_order = make_srpt_order(server),
          .scheduler = std::make_unique<Srpt>(server, pages)};
}

}  // namespace decodesim
