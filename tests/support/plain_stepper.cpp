#include "tests/support/plain_stepper.hpp"

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "sim/core/check.hpp"
#include "tests/support/plain_scheduler.hpp"

namespace decodesim::tests {

namespace {

class PlainRun {
 public:
  PlainRun(const ServerConfig& server, RequestSource& source, std::span<Observer* const> observers)
      : server_(server), source_(source), observers_(observers), scheduler_(make_plain_scheduler(server)) {}

  RunFacts play();

 private:
  struct Life {
    Request request;
    PlainSequence sequence;
    bool ended = false;
  };

  // Change: who arrives, who ends.
  [[nodiscard]] bool arrival_pending() const { return open_next_.has_value(); }
  void take_arrivals_before(Time limit);
  void take_arrivals_at(Time instant);
  void arrive(Request request);
  void end(PlainSequence& sequence, Outcome outcome, std::string_view reason, Time at);
  // Decide and play: one pass and its step.
  void sleep_until(Time arrival);
  void tell_idle_passes();
  void step(const PlainPlan& plan);
  void book_transfers(const PlainPlan& plan, StepFacts& facts);
  std::int64_t book_recomputed(const PlainPlan& plan, StepShape& without);
  // The end.
  [[nodiscard]] std::string who_waits(const std::string& why) const;
  RunFacts finish(std::string watchdog);

  const ServerConfig& server_;
  RequestSource& source_;
  std::span<Observer* const> observers_;
  std::unique_ptr<PlainScheduler> scheduler_;

  std::deque<Life> lives_;            // everyone who arrived; addresses stay
  std::optional<Request> open_next_;  // open loop: the next arrival
  std::int64_t vacancies_ = 0;        // closed loop: places to be taken at this instant
  Time now_{};
  Time last_happened_{};
  std::int64_t pass_ = 1;                   // the number of the next pass
  std::int64_t idle_passes_ = 0;            // just before it, not told yet
  std::optional<Time> emptied_ = Time{};    // since when nobody is in the server
  std::int64_t cached_blocks_evicted_ = 0;  // told so far
  std::int64_t preemptions_in_vain_ = 0;    // since a token, an arrival or an end
};

RunFacts PlainRun::play() {
  const bool grid = server_.grid_step > Duration(0);
  if (source_.concurrency()) {
    vacancies_ = *source_.concurrency();
  } else {
    open_next_ = source_.next();
  }
  take_arrivals_at(now_);

  while (true) {
    if (scheduler_->running.empty() && scheduler_->waiting.empty() && scheduler_->swapped.empty()) {
      if (!arrival_pending()) return finish("");
      sleep_until(open_next_->arrival);
      continue;
    }
    if (preemptions_in_vain_ > 1000 + 8 * server_.scheduler.max_num_seqs) {
      return finish(who_waits("requests evict each other and none gets a token"));
    }

    tell_idle_passes();
    if (emptied_ && now_ > *emptied_) scheduler_->idled(grid ? (now_ - *emptied_) / server_.grid_step : 2);
    emptied_.reset();

    const bool more_to_come = arrival_pending();
    const PlainPlan plan = scheduler_->plan();
    if (!plan.empty() || grid) step(plan);
    if (plan.empty() && !plan.moved) {
      if (!more_to_come) return finish(who_waits("nothing can be scheduled and nothing more arrives"));
      if (!grid) sleep_until(open_next_->arrival);
    }
  }
}

/// Open loop: arrivals that come while a step runs.
void PlainRun::take_arrivals_before(Time limit) {
  while (open_next_ && open_next_->arrival < limit) {
    const Request request = *open_next_;
    open_next_ = source_.next();
    arrive(request);
  }
}

void PlainRun::take_arrivals_at(Time instant) {
  take_arrivals_before(instant + Duration(1));
  while (vacancies_ > 0) {
    std::optional<Request> request = source_.next();
    if (!request) return;
    --vacancies_;
    request->arrival = instant;
    arrive(*request);
  }
}

void PlainRun::arrive(Request request) {
  lives_.push_back({request, {}});
  Life& life = lives_.back();
  PlainSequence& sequence = life.sequence;
  sequence.request = &life.request;
  sequence.input = request.input_tokens;
  sequence.arrival = static_cast<std::int64_t>(lives_.size());
  sequence.output = std::min({request.output_tokens, request.max_tokens, server_.max_model_len - request.input_tokens});
  preemptions_in_vain_ = 0;
  for (Observer* observer : observers_) observer->arrived(life.request);

  if (sequence.input >= server_.max_model_len) {
    end(sequence, Outcome::rejected, "prompt reaches max_model_len", request.arrival);
    return;
  }
  if (server_.scheduler.never_fits == NeverFits::reject && !scheduler_->fits_alone(sequence)) {
    end(sequence, Outcome::rejected, "never fits the KV pool", request.arrival);
    return;
  }
  sequence.output = std::min(sequence.output, scheduler_->output_limit(life.request));
  scheduler_->arrived(sequence);
}

void PlainRun::end(PlainSequence& sequence, Outcome outcome, std::string_view reason, Time at) {
  for (Life& life : lives_) {
    if (&life.sequence == &sequence) life.ended = true;
  }
  last_happened_ = std::max(last_happened_, at);
  preemptions_in_vain_ = 0;
  if (outcome != Outcome::unfinished && source_.concurrency()) ++vacancies_;

  RequestFacts facts;
  facts.request = sequence.request;
  facts.outcome = outcome;
  facts.reason = reason;
  facts.output_tokens = sequence.emitted;
  facts.scheduled = sequence.scheduled;
  facts.first_token = sequence.first_token;
  facts.ended = at;
  facts.preemptions = sequence.preemptions;
  facts.recomputed_tokens = sequence.recomputed;
  facts.discarded_tokens = sequence.discarded;
  facts.swapped_out_tokens = sequence.swapped_out;
  facts.found_tokens = sequence.found_first;
  facts.found_again_tokens = sequence.found_again;
  for (Observer* observer : observers_) observer->ended(facts);
}

/// Sleeps until `arrival`, on a grid until the first pass that sees it.
void PlainRun::sleep_until(Time arrival) {
  if (server_.grid_step == Duration(0)) {
    now_ = arrival;
  } else {
    while (now_ < arrival) {
      now_ += server_.grid_step;
      ++idle_passes_;
    }
  }
  take_arrivals_at(now_);
}

/// Passes of a grid that had nobody to serve are told when there is somebody again.
void PlainRun::tell_idle_passes() {
  if (idle_passes_ == 0) return;
  const Time start = now_ - idle_passes_ * server_.grid_step;
  for (Observer* observer : observers_) {
    observer->idle(pass_, idle_passes_, start, scheduler_->free_blocks());
  }
  pass_ += idle_passes_;
  idle_passes_ = 0;
}

/// Plays the step that `plan` asks for: from now_ to its end, where now_ is afterwards.
void PlainRun::step(const PlainPlan& plan) {
  StepFacts facts;
  ScheduleFacts schedule;
  facts.number = pass_++;
  facts.start = now_;
  facts.running = static_cast<std::int64_t>(scheduler_->running.size());
  facts.waiting = static_cast<std::int64_t>(scheduler_->waiting.size());
  facts.swapped = static_cast<std::int64_t>(scheduler_->swapped.size());
  facts.scheduled = static_cast<std::int64_t>(plan.scheduled.size());
  facts.preempted = static_cast<std::int64_t>(plan.preempted.size());
  facts.free_blocks = scheduler_->free_blocks();
  facts.slots = scheduler_->slots();
  facts.limit = plan.limit;
  scheduler_->describe(schedule.planned);
  facts.schedule = &schedule;
  preemptions_in_vain_ += facts.preempted;

  for (const PlainSequence* sequence : scheduler_->running) facts.cached_tokens += sequence->cached;
  for (const PlainSequence* sequence : plan.preempted) schedule.preempted.push_back(sequence->request);
  std::vector<EvictionFacts> evictions;
  for (const PlainEviction& one : plan.evictions) {
    evictions.push_back({.victim = one.victim->request,
                         .requester = one.requester != nullptr ? one.requester->request : nullptr,
                         .reason = one.reason,
                         .fate = one.fate,
                         .tokens = one.tokens,
                         .blocks = one.blocks,
                         .free_before = one.free_before});
  }
  facts.evictions = evictions;
  facts.cached_blocks_evicted = scheduler_->cached_blocks_evicted() - cached_blocks_evicted_;
  cached_blocks_evicted_ += facts.cached_blocks_evicted;
  for (const PlainSequence* sequence : scheduler_->waiting) schedule.waiting.push_back(sequence->request);
  for (const PlainPlan::Found& found : plan.found) {
    schedule.cached_tokens.push_back({found.sequence->request, found.tokens});
    PlainSequence& sequence = *found.sequence;
    const std::int64_t had_before = std::min(found.tokens, sequence.cached_before_eviction);
    sequence.found_again += had_before;
    facts.found_again_tokens += had_before;
    sequence.found_first += found.tokens - had_before;
    facts.found_tokens += found.tokens - had_before;
  }
  for (const PlainPlan::Grant& grant : plan.scheduled) {
    schedule.scheduled.push_back({grant.sequence->request, grant.tokens});
    schedule.block_tables.push_back({grant.sequence->request, grant.sequence->blocks});
    if (grant.sequence->scheduled < Time{}) grant.sequence->scheduled = now_;
    grant.sequence->admitted = true;
  }

  // The price. A step that only evicts takes no time, except on a grid.
  for (const PlainPlan::Grant& grant : plan.scheduled) {
    facts.shape.add(grant.cached, grant.tokens);
    if (grant.sequence->cached == grant.sequence->known()) facts.shape.samples += 1;
  }
  const bool grid = server_.grid_step > Duration(0);
  if (grid || !facts.shape.empty()) facts.ledger = server_.cost->price(facts.shape + plan.padding);
  const Duration computing = facts.ledger.duration();
  book_transfers(plan, facts);
  for (const PlainPlan::SwapIn& one : plan.swapped_in) schedule.swapped_in.push_back(one.sequence->request);
  facts.end = facts.start + computing + facts.transfer_time;
  check(!grid || facts.ledger.duration() == server_.grid_step, "a pass of the grid lasts a grid step");

  // The price without the tokens that were there before an eviction.
  StepShape without = facts.shape;
  facts.recomputed_tokens = book_recomputed(plan, without);
  if (facts.recomputed_tokens > 0) {
    Duration shorter{};
    if (grid || !without.empty()) shorter = server_.cost->price(without + plan.padding).duration();
    facts.recompute_time = computing - shorter;
  }

  // While the step runs others arrive; they are not seen before its end.
  take_arrivals_before(facts.end);
  now_ = facts.end;
  last_happened_ = now_;

  // Its end: tokens come out, and those with their last token leave in the order of admission.
  std::vector<TokenGap> gaps;
  std::vector<PlainSequence*> finished;
  for (const PlainPlan::Grant& grant : plan.scheduled) {
    PlainSequence& sequence = *grant.sequence;
    if (sequence.cached < sequence.known()) continue;
    sequence.emitted += 1;
    preemptions_in_vain_ = 0;
    if (sequence.emitted == 1) {
      sequence.first_token = now_;
    } else {
      gaps.push_back({now_ - sequence.last_token, 1});
    }
    sequence.last_token = now_;
    if (sequence.emitted == sequence.output) {
      finished.push_back(&sequence);
      schedule.finished.push_back(sequence.request);
    }
  }
  facts.gaps = gaps;
  scheduler_->step_ended(plan, facts.end - facts.start);
  for (PlainSequence* sequence : finished) scheduler_->ended(*sequence);
  scheduler_->describe(schedule.ended);
  if (scheduler_->running.empty() && scheduler_->waiting.empty()) emptied_ = now_;
  for (Observer* observer : observers_) observer->step(facts);

  for (PlainSequence* sequence : finished) end(*sequence, Outcome::completed, "", now_);
  for (const PlainPlan::Cancelled& cancelled : plan.cancelled) {
    end(*cancelled.sequence, Outcome::cancelled, cancelled.reason, now_);
  }
  take_arrivals_at(now_);
}

/// Books what the step moves to the host and back. Both ways are waited for, one after the other.
void PlainRun::book_transfers(const PlainPlan& plan, StepFacts& facts) {
  std::int64_t out = 0;
  std::int64_t in = 0;
  for (const PlainEviction& one : plan.evictions) {
    if (one.fate != KvFate::swapped) continue;
    facts.swapped_out_tokens += one.tokens;
    out += one.blocks;
  }
  for (const PlainPlan::SwapIn& one : plan.swapped_in) {
    facts.swapped_in_tokens += one.tokens;
    in += one.blocks;
  }
  facts.swapped_out_bytes = server_.host.bytes(out);
  facts.swapped_in_bytes = server_.host.bytes(in);
  facts.transfer_time = server_.host.time(out) + server_.host.time(in);
  facts.ledger.of(ByteKind::host_transfer) += facts.swapped_out_bytes + facts.swapped_in_bytes;
  facts.ledger.spend(TimePart::transfers, BoundBy::transfers, facts.transfer_time);
}

/// Books the tokens of this step that were cached once before an eviction, and takes them out of `without`.
std::int64_t PlainRun::book_recomputed(const PlainPlan& plan, StepShape& without) {
  std::int64_t total = 0;
  for (const PlainPlan::Grant& grant : plan.scheduled) {
    PlainSequence& sequence = *grant.sequence;
    const std::int64_t known_until = std::min(grant.cached + grant.tokens, sequence.cached_before_eviction);
    const std::int64_t again = std::max<std::int64_t>(0, known_until - grant.cached);
    sequence.recomputed += again;
    total += again;
    without.remove(grant.cached, grant.tokens);
    without.add(grant.cached + again, grant.tokens - again);
  }
  return total;
}

std::string PlainRun::who_waits(const std::string& why) const {
  std::string text = why + ":";
  for (const PlainSequence* sequence : scheduler_->waiting) {
    text += " request " + std::to_string(sequence->request->index) + " of " + std::to_string(sequence->known()) +
            " tokens waits;";
  }
  return text + " " + std::to_string(scheduler_->free_blocks()) + " blocks are free";
}

RunFacts PlainRun::finish(std::string watchdog) {
  std::vector<PlainSequence*> left;
  for (Life& life : lives_) {
    if (!life.ended) left.push_back(&life.sequence);
  }
  std::sort(left.begin(), left.end(),
            [](const PlainSequence* a, const PlainSequence* b) { return a->request->index < b->request->index; });
  for (PlainSequence* sequence : left) end(*sequence, Outcome::unfinished, "the watchdog ended the run", now_);

  RunFacts facts;
  facts.end = last_happened_;
  facts.watchdog = std::move(watchdog);
  for (Observer* observer : observers_) observer->run_ended(facts);
  return facts;
}

}  // namespace

RunFacts run_plain(const ServerConfig& server, RequestSource& source, std::span<Observer* const> observers) {
  return PlainRun(server, source, observers).play();
}

}  // namespace decodesim::tests
