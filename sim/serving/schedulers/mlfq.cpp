// FastServe's skip-join multi-level feedback queue: who has used up its time at a level falls to the next, which runs
// after it and for longer; KV of those that wait is moved to the host ahead of need.
// (Wu and others, "Fast distributed inference serving for large language models", and its public scheduler.)

#include <algorithm>
#include <set>

#include "sim/core/check.hpp"
#include "sim/serving/paged_memory.hpp"
#include "sim/serving/policy_factories.hpp"
#include "sim/serving/schedulers/mlfq_levels.hpp"

namespace decodesim {

namespace {

/// Queues in order of arrival hold all requests whatever their state; the rank is (level, place in its queue).
///
///  * a new request joins the end of the first level whose quantum is not below the time of its prompt alone;
///  * a pass takes the first `max_num_seqs` in rank. Prompts are computed whole; those beyond the token budget wait, but
///    one may always begin. They also wait while less than a tenth of the host pool is free;
///  * room for the pass, and as many blocks again as there are places, is made by moving out who does not run, the last
///    in rank first; if that is not enough for the pass itself, the last of the pass are moved out as well. Where the
///    host is full, KV is dropped and computed again;
///  * where nobody was moved out, those of the pass that are on the host come back, and then others from the top on,
///    while the wanted blocks stay free. Otherwise they wait for the next pass;
///  * after a pass, who has run at its level for longer than the quantum goes to the front of the next level;
///  * every `starvation_check` passes, who has not run for `starvation_limit` goes to the front of the first level.
///
/// While nobody comes, goes or falls, the same requests stay the first in rank, so a pass looks at members that need a
/// block, at the best outsider against the worst member, and at whose quantum ends. Only the check against starvation
/// looks at all that wait.
class Mlfq final : public Scheduler {
 public:
  Mlfq(const ServerConfig& server, PagedMemory& memory)
      : config_(server),
        memory_(memory),
        levels_(server.scheduler.mlfq),
        batch_(ByRank{&levels_}),
        paused_(ByRank{&levels_}),
        swapped_(ByRank{&levels_}),
        prompts_(ByRank{&levels_}),
        ends_(ByEnd{&levels_}) {}

  void arrived(Sequence& sequence) override { newcomers_.push_back(&sequence); }

  void plan(const ReplicaView& view, Draft& draft) override {
    moved_out_ = false;
    closed_ = AdmissionLimit::arrivals;
    for (Sequence* sequence : newcomers_) join(view, *sequence);
    newcomers_.clear();
    if (check_is_due_) lift_starved(view.now());
    check_is_due_ = false;
    choose(view, draft);
    make_room(view, draft);
    serve(view, draft);
    if (!moved_out_) bring_back(draft);
    if (!view.anyone_waits()) return;
    draft.limited_by(closed_ == AdmissionLimit::arrivals ? AdmissionLimit::max_num_seqs : closed_);
  }

  void step_ended(Duration duration) override {
    if (batch_.empty()) return;
    clock_ += duration;
    check_is_due_ = ++passes_ % config_.scheduler.mlfq.starvation_check == 0;
    fall();
  }

  void ended(Sequence& sequence) override {
    ends_.erase(&sequence);
    batch_.erase(&sequence);
  }

  void left(Sequence& sequence) override {
    if (std::erase(newcomers_, &sequence) > 0) return;
    const bool runs = sequence.state == SequenceState::decoding || sequence.state == SequenceState::prefilling;
    runs ? ended(sequence) : (void)outside(sequence).erase(&sequence);
  }

 private:
  using Note = MlfqLevels::Note;
  struct ByRank {
    const MlfqLevels* levels;
    bool operator()(const Sequence* a, const Sequence* b) const { return levels->before(*a, *b); }
  };
  struct ByEnd {
    const MlfqLevels* levels;
    bool operator()(const Sequence* a, const Sequence* b) const {
      const Duration one = levels->note(*a).end;
      const Duration other = levels->note(*b).end;
      return one != other ? one < other : a->slot < b->slot;
    }
  };
  using Ranked = std::set<Sequence*, ByRank>;

  Note& note(const Sequence& sequence) { return levels_.note(sequence); }
  [[nodiscard]] bool before(const Sequence& a, const Sequence& b) const { return levels_.before(a, b); }

  // Levels -----------------------------------------------------------------------------------------------------------

  void join(const ReplicaView& view, Sequence& sequence) {
    StepShape prompt;
    const std::int64_t found = view.found_in_place(sequence);
    prompt.add(found, sequence.known() - found, config_.attention_clip);
    prompt.samples = 1;
    note(sequence) = {.last_run = sequence.request.arrival};
    levels_.put_at_back(sequence, levels_.level_for(config_.cost->price(prompt).duration()));
    prompts_.insert(&sequence);
  }

  // Puts who has used up its quantum in front of the next level, in the order that they had.
  void fall() {
    std::vector<Sequence*> falling;
    while (!ends_.empty() && note(**ends_.begin()).end < clock_) {
      falling.push_back(*ends_.begin());
      ends_.erase(ends_.begin());
    }
    std::sort(falling.begin(), falling.end(), ByRank{&levels_});
    for (Sequence* sequence : falling) batch_.erase(sequence);
    for (auto place = falling.rbegin(); place != falling.rend(); ++place) {
      Note& own = note(**place);
      levels_.put_in_front(**place, own.level + 1);
      own.used = Duration{};
      own.end = clock_ + levels_.quantum(own.level);
      batch_.insert(*place);
      ends_.insert(*place);
    }
  }

  void lift_starved(Time now) {
    std::vector<Sequence*> starved;
    for (const Ranked* set : {&paused_, &swapped_, &prompts_}) {
      for (Sequence* sequence : *set) {
        if (now - note(*sequence).last_run >= config_.scheduler.mlfq.starvation_limit) starved.push_back(sequence);
      }
    }
    std::sort(starved.begin(), starved.end(), ByRank{&levels_});
    for (auto place = starved.rbegin(); place != starved.rend(); ++place) {
      Ranked& set = outside(**place);
      set.erase(*place);
      levels_.put_in_front(**place, 0);
      set.insert(*place);
    }
  }

  // Who does not run, by where its KV is.
  Ranked& outside(const Sequence& sequence) {
    if (sequence.state == SequenceState::stalled) return paused_;
    return sequence.state == SequenceState::swapped ? swapped_ : prompts_;
  }

  // The pass ---------------------------------------------------------------------------------------------------------

  [[nodiscard]] bool full() const {
    return static_cast<std::int64_t>(batch_.size() + entrants_.size()) >= config_.scheduler.max_num_seqs;
  }

  // Tokens and blocks that an outsider takes where it runs in this pass.
  [[nodiscard]] std::int64_t tokens_of(const Sequence& outsider) const {
    return outsider.state == SequenceState::waiting ? outsider.known() : outsider.cached + 1;
  }
  [[nodiscard]] std::int64_t need_of(const Sequence& outsider) const {
    return memory_.missing(outsider, tokens_of(outsider));
  }

  // Takes outsiders into the pass, the first in rank first, in place of members that rank behind them.
  void choose(const ReplicaView& view, Draft& draft) {
    entrants_.clear();
    budget_ = config_.scheduler.max_num_batched_tokens;
    bool any_prompt = false;
    std::vector<Sequence*> displaced;
    auto skipped = swapped_.begin();  // those before it need more than the whole pool
    while (Sequence* outsider = best_outsider(skipped)) {
      if (full() && (batch_.empty() || before(**batch_.rbegin(), *outsider))) break;
      if (memory_.blocks_for(tokens_of(*outsider)) > memory_.total()) {
        set_aside(draft, *outsider, skipped);
        continue;
      }
      if (outsider->state == SequenceState::waiting) {
        const std::int64_t tokens = outsider->known() - view.found_in_place(*outsider);
        if (view.host().total > 0 && 10 * view.host().free() < view.host().total) {
          closed_ = AdmissionLimit::policy;
          continue;
        }
        if (tokens > budget_ && any_prompt) {
          closed_ = AdmissionLimit::token_budget;
          continue;
        }
        budget_ -= tokens;
        any_prompt = true;
      }
      if (full()) {
        Sequence* last = *batch_.rbegin();
        leave_batch(view, *last);
        draft.stall(*last);
        displaced.push_back(last);
      }
      if (outsider->state == SequenceState::swapped) ++skipped;
      outside(*outsider).erase(outsider);
      entrants_.push_back(outsider);
    }
    paused_.insert(displaced.begin(), displaced.end());
  }

  [[nodiscard]] Sequence* best_outsider(Ranked::const_iterator swapped) const {
    Sequence* best = paused_.empty() ? nullptr : *paused_.begin();
    if (swapped != swapped_.end() && (best == nullptr || before(**swapped, *best))) best = *swapped;
    if (closed_ != AdmissionLimit::arrivals || prompts_.empty()) return best;
    Sequence* prompt = *prompts_.begin();
    return best == nullptr || before(*prompt, *best) ? prompt : best;
  }

  // What becomes of one that even the whole pool cannot hold: it is given up where the scenario says so; else it waits
  // for ever, as a prompt before all prompts behind it.
  void set_aside(Draft& draft, Sequence& outsider, Ranked::iterator& skipped) {
    if (outsider.state == SequenceState::stalled) {
      paused_.erase(&outsider);
      move_out(draft, outsider);
      skipped = swapped_.begin();
    } else if (config_.scheduler.never_fits == NeverFits::fail_after) {
      if (outsider.state == SequenceState::swapped) ++skipped;
      outside(outsider).erase(&outsider);
      draft.drop(outsider);
    } else if (outsider.state == SequenceState::swapped) {
      ++skipped;
    } else {
      closed_ = AdmissionLimit::kv_capacity;
    }
  }

  void leave_batch(const ReplicaView& view, Sequence& member) {
    Note& own = note(member);
    own.used = levels_.quantum(own.level) - (own.end - clock_);
    own.last_run = view.now();
    ends_.erase(&member);
    batch_.erase(&member);
  }

  // Memory -----------------------------------------------------------------------------------------------------------

  // Members that need a block in this pass, in order of admission.
  void collect_boundary(const ReplicaView& view) {
    boundary_.clear();
    for (Sequence* one = view.cohort().at_boundary().front(); one != nullptr; one = LockStep::BoundaryList::after(*one))
      boundary_.push_back(one);
  }

  void make_room(const ReplicaView& view, Draft& draft) {
    collect_boundary(view);
    std::int64_t needed = static_cast<std::int64_t>(boundary_.size());
    for (const Sequence* entrant : entrants_) needed += need_of(*entrant);
    const SchedulerSpec& knobs = config_.scheduler;
    const std::int64_t wanted = std::max(knobs.max_num_seqs, knobs.mlfq.free_blocks);
    while (needed + wanted > memory_.free() && !paused_.empty()) {
      Sequence* last = *paused_.rbegin();
      paused_.erase(last);
      move_out(draft, *last);
    }
    while (needed > memory_.free()) needed -= drop_last(view, draft);
  }

  // Takes the last in rank out of the pass and out of memory, and returns the blocks that it would have taken.
  std::int64_t drop_last(const ReplicaView& view, Draft& draft) {
    Sequence* member = batch_.empty() ? nullptr : *batch_.rbegin();
    Sequence* entrant = entrants_.empty() ? nullptr : entrants_.back();
    check(member != nullptr || entrant != nullptr, "a pass of nobody needs no room");
    if (entrant == nullptr || (member != nullptr && before(*entrant, *member))) {
      const auto place = std::find(boundary_.begin(), boundary_.end(), member);
      const std::int64_t need = place == boundary_.end() ? 0 : 1;
      if (need == 1) boundary_.erase(place);
      leave_batch(view, *member);
      move_out(draft, *member);
      return need;
    }
    const std::int64_t need = need_of(*entrant);
    entrants_.pop_back();
    if (entrant->state == SequenceState::waiting) {
      closed_ = AdmissionLimit::kv_capacity;
      prompts_.insert(entrant);
    } else if (entrant->state == SequenceState::swapped) {
      swapped_.insert(entrant);
    } else {
      move_out(draft, *entrant);
    }
    return need;
  }

  // Moves KV to the host, or drops it where that is full. The sequence keeps its rank.
  void move_out(Draft& draft, Sequence& sequence) {
    const Eviction eviction{.reason = EvictionReason::retraction};
    if (draft.swap_out(sequence, eviction)) {
      moved_out_ = true;
      swapped_.insert(&sequence);
    } else {
      draft.evict(sequence, eviction);
      prompts_.insert(&sequence);
    }
  }

  void serve(const ReplicaView& view, Draft& draft) {
    for (Sequence* member : boundary_) take(*member, view.cached(*member) + 1);
    for (Sequence* entrant : entrants_) {
      if (entrant->state == SequenceState::swapped && moved_out_) {
        swapped_.insert(entrant);
        continue;
      }
      take(*entrant, tokens_of(*entrant));
      if (entrant->state == SequenceState::stalled) {
        draft.resume(*entrant);
      } else if (entrant->state == SequenceState::swapped) {
        draft.swap_in(*entrant);
      } else {
        const std::int64_t found = view.found_in_place(*entrant);
        draft.admit(*entrant, found, entrant->known() - found);
      }
      Note& own = note(*entrant);
      own.end = clock_ + levels_.quantum(own.level) - own.used;
      batch_.insert(entrant);
      ends_.insert(entrant);
    }
  }

  // Brings KV back ahead of need, from the top on, until one does not fit beside the blocks that are to stay free.
  void bring_back(Draft& draft) {
    const SchedulerSpec& knobs = config_.scheduler;
    const std::int64_t wanted = std::max(knobs.max_num_seqs, knobs.mlfq.free_blocks);
    std::int64_t places = knobs.max_num_seqs;
    for (auto next = swapped_.begin(); next != swapped_.end() && places > 0;) {
      Sequence& sequence = **next;
      if (memory_.blocks_for(sequence.cached + 1) > memory_.total()) {
        ++next;  // it can never run
        continue;
      }
      if (memory_.blocks_for(sequence.cached) + wanted > memory_.free()) return;
      next = swapped_.erase(next);
      take(sequence, sequence.cached);
      draft.swap_in(sequence);
      draft.stall(sequence);
      paused_.insert(&sequence);
      --places;
    }
  }

  void take(Sequence& sequence, std::int64_t tokens) {
    check(memory_.grow(sequence, tokens), "room was made for the whole pass");
  }

  ServerConfig config_;
  PagedMemory& memory_;
  MlfqLevels levels_;
  std::vector<Sequence*> newcomers_;
  Ranked batch_;                     // who runs
  Ranked paused_;                    // who does not, with KV here
  Ranked swapped_;                   // with KV on the host
  Ranked prompts_;                   // without KV
  std::set<Sequence*, ByEnd> ends_;  // the batch, by when quanta end
  Duration clock_{};                 // time that the batch has run
  std::int64_t passes_ = 0;
  bool check_is_due_ = false;
  // Of the pass at hand.
  std::vector<Sequence*> entrants_;  // by rank
  std::vector<Sequence*> boundary_;
  std::int64_t budget_ = 0;
  bool moved_out_ = false;
  AdmissionLimit closed_ = AdmissionLimit::arrivals;
};

/// Lists those that wait by arrival; who is next is the scheduler's own business.
class ByArrival final : public QueueOrder {
 public:
  bool before(const Sequence& a, const Sequence& b) const override { return a.request.index < b.request.index; }
};

}  // namespace

EngineParts make_mlfq(const ServerConfig& server) {
  auto memory = std::make_unique<PagedMemory>(server.usable_blocks, server.block_size);
  PagedMemory& pages = *memory;
  return {.memory = std::move(memory),
          .queue_order = std::make_unique<ByArrival>(),
          .scheduler = std::make_unique<Mlfq>(server, pages)};
}

}  // namespace decodesim
