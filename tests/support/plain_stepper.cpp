#include "tests/support/plain_stepper.hpp"

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "sim/core/check.hpp"
#include "tests/support/plain_run.hpp"

namespace decodesim::tests {

RunFacts PlainRun::play() {
  const bool grid = server_.grid_step > Duration(0);
  if (source_.concurrency()) {
    vacancies_ = *source_.concurrency();
  } else {
    open_next_ = source_.next();
  }
  take_arrivals_at(now_);

  while (true) {
    if (scheduler_->nobody_is_there()) {
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
    ran_before_ = scheduler_->running;
    scheduler_->now = now_;
    const PlainPlan plan = scheduler_->plan();
    const bool empty = plan.empty() && over_.empty();
    const bool freed = !empty || grid ? step(plan) : scheduler_->retire();
    if (empty && !plan.moved && !freed) {
      std::optional<Time> next;
      if (more_to_come) next = open_next_->arrival;
      for (const PlainSequence* one : scheduler_->loading) {
        if (one->load_ends > scheduler_->now && (!next || one->load_ends < *next)) next = one->load_ends;
      }
      if (!next) return finish(who_waits("nothing can be scheduled and nothing more arrives"));
      if (!grid) sleep_until(*next);
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
  sequence.allowed = std::min(request.max_tokens, server_.max_model_len - request.input_tokens);
  sequence.output = std::min({request.output_tokens, request.max_tokens, server_.max_model_len - request.input_tokens});
  preemptions_in_vain_ = 0;
  sequence.recompute_at_arrival =
      recompute_time_ + std::max(Duration(0), request.arrival - (step_end_ - recompute_ahead_));
  if (recompute_ahead_ == Duration(0)) sequence.recompute_at_arrival = recompute_time_;
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
  if (outcome != Outcome::rejected) facts.recompute_to_end = recompute_time_ - sequence.recompute_at_arrival;
  if (sequence.emitted > 0)
    facts.recompute_to_first_token = sequence.recompute_at_first_token - sequence.recompute_at_arrival;
  facts.host_found_tokens = sequence.host_found;
  facts.remote_found_tokens = sequence.remote_found;
  facts.loads = sequence.loads;
  facts.loading = sequence.loading;
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

std::string PlainRun::who_waits(const std::string& why) const {
  std::string text = why + ":";
  for (const PlainSequence* sequence : scheduler_->waiting) {
    text += " request " + std::to_string(sequence->request->index) + " of " + std::to_string(sequence->known()) +
            " tokens waits;";
  }
  return text + " " + std::to_string(scheduler_->free_blocks()) + " blocks are free";
}

RunFacts PlainRun::finish(std::string watchdog) {
  release_those_over();
  tell_those_over();
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

RunFacts run_plain(const ServerConfig& server, RequestSource& source, std::span<Observer* const> observers) {
  return PlainRun(server, source, observers).play();
}

}  // namespace decodesim::tests
