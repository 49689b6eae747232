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
    vacancies_ = fresh_places_ = *source_.concurrency();
  } else {
    open_next_ = source_.next();
  }
  change_at(now_);

  while (true) {
    if (scheduler_->nobody_is_there()) {
      if (!next_change()) return finish("");
      sleep_until(*next_change());
      continue;
    }
    if (preemptions_in_vain_ > 1000 + 8 * server_.scheduler.max_num_seqs) {
      return finish(who_waits("requests evict each other and none gets a token"));
    }

    tell_idle_passes();
    if (emptied_ && now_ > *emptied_) scheduler_->idled(grid ? (now_ - *emptied_) / server_.grid_step : 2);
    emptied_.reset();

    const bool more_to_come = next_change().has_value();
    ran_before_ = scheduler_->running;
    scheduler_->now = now_;
    const PlainPlan plan = scheduler_->plan();
    const bool empty = plan.empty() && over_.empty();
    const bool freed = !empty || grid ? step(plan) : scheduler_->retire();
    if (empty && !plan.moved && !freed) {
      std::optional<Time> next = next_change();
      bool loads = false;
      for (const PlainSequence* one : scheduler_->loading) {
        if (one->load_ends <= scheduler_->now) continue;
        loads = true;
        if (!next || one->load_ends < *next) next = one->load_ends;
      }
      if (!more_to_come && !loads) return finish(who_waits("nothing can be scheduled and nothing more arrives"));
      if (!grid) sleep_until(*next);
    }
  }
}

/// When somebody arrives or leaves next.
std::optional<Time> PlainRun::next_change() const {
  std::optional<Time> next;
  const auto look_at = [&](Time time) { next = next ? std::min(*next, time) : time; };
  if (open_next_) look_at(open_next_->arrival);
  for (const Request& request : thinking_) look_at(request.arrival);
  for (const Life& life : lives_) {
    if (may_leave(life)) look_at(*life.leaves);
  }
  return next;
}

void PlainRun::change_before(Time limit) {
  for (auto next = next_change(); next && *next < limit; next = next_change()) change_at(*next);
}

/// Who leaves at this instant, and then who arrives.
void PlainRun::change_at(Time instant) {
  for (std::size_t i = 0; i < lives_.size(); ++i) {
    if (may_leave(lives_[i]) && *lives_[i].leaves <= instant) leave(lives_[i], instant);
  }
  fill_places(instant);
  while (std::optional<Request> request = next_arrival(instant)) {
    arrive(*request);
    fill_places(instant);
  }
}

/// A step that computes it goes on.
void PlainRun::leave(Life& life, Time at) {
  PlainSequence& sequence = life.sequence;
  sequence.left = true;
  const bool computed =
      in_flight_ != nullptr && std::any_of(in_flight_->scheduled.begin(), in_flight_->scheduled.end(),
                                           [&](const auto& grant) { return grant.sequence == &sequence; });
  if (computed) {
    leaving_.push_back(&sequence);
  } else {
    scheduler_->left(sequence);
  }
  end(sequence, Outcome::cancelled, life.why, at);
  if (in_flight_ == nullptr && scheduler_->nobody_is_there() && !emptied_) emptied_ = at;
}

/// Nobody asks once the source has closed.
void PlainRun::think(Request request, Time until) {
  request.arrival = until;
  if (!closed(until)) thinking_.push_back(request);
}

/// Closed loop: free places are taken, by those who think first.
void PlainRun::fill_places(Time instant) {
  while (vacancies_ > 0 && !closed(instant)) {
    const std::optional<Request> request = source_.next();
    if (!request) {
      vacancies_ = 0;
      return;
    }
    --vacancies_;
    think(*request, fresh_places_ > 0 ? instant : instant + request->think_time);
    if (fresh_places_ > 0) --fresh_places_;
  }
}

/// Of those that arrive by this instant, the one with the smallest index.
std::optional<Request> PlainRun::next_arrival(Time instant) {
  auto first = thinking_.end();
  for (auto one = thinking_.begin(); one != thinking_.end(); ++one) {
    if (one->arrival <= instant && (first == thinking_.end() || one->index < first->index)) first = one;
  }
  std::optional<Request> request;
  if (open_next_ && open_next_->arrival <= instant && (first == thinking_.end() || open_next_->index < first->index)) {
    request = open_next_;
    open_next_ = source_.next();
  } else if (first != thinking_.end()) {
    request = *first;
    thinking_.erase(first);
  }
  return request;
}

/// The next turn of a session whose turn ended. Where that was not answered, the others come and go unasked.
void PlainRun::go_on(const Request& request, bool answered, Time at) {
  std::optional<Request> turn = source_.next_turn(request);
  if (!turn) {
    if (source_.concurrency()) ++vacancies_;
  } else if (answered) {
    think(*turn, std::max(at + turn->think_time, turn->arrival));
  } else if (!closed(at)) {
    turn->arrival = at;
    for (Observer* observer : observers_) observer->arrived(*turn);
    RequestFacts facts;
    facts.request = &*turn;
    facts.outcome = Outcome::cancelled;
    facts.reason = "the turn before it was not answered";
    facts.ended = at;
    for (Observer* observer : observers_) observer->ended(facts);
    go_on(*turn, false, at);
  }
}

/// What steps spent on recompute by then; within a step it comes last.
Duration PlainRun::recompute_until(Time instant) const {
  if (recompute_ahead_ == Duration(0)) return recompute_time_;
  return recompute_time_ + std::max(Duration(0), instant - (step_end_ - recompute_ahead_));
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
  sequence.recompute_at_arrival = recompute_until(request.arrival);
  for (Observer* observer : observers_) observer->arrived(life.request);

  if (sequence.input >= server_.max_model_len) {
    end(sequence, Outcome::rejected, "prompt reaches max_model_len", request.arrival);
    return;
  }
  if (server_.scheduler.never_fits == NeverFits::reject && !scheduler_->fits_alone(sequence)) {
    end(sequence, Outcome::rejected, "never fits the KV pool", request.arrival);
    return;
  }
  if (request.timeout) {
    life.leaves = request.arrival + *request.timeout;
    life.why = "timed out";
  }
  if (request.cancel_after && (!life.leaves || request.arrival + *request.cancel_after < *life.leaves)) {
    life.leaves = request.arrival + *request.cancel_after;
    life.why = "cancelled by its client";
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
  if (outcome != Outcome::rejected) facts.recompute_to_end = recompute_until(at) - sequence.recompute_at_arrival;
  if (sequence.emitted > 0)
    facts.recompute_to_first_token = sequence.recompute_at_first_token - sequence.recompute_at_arrival;
  facts.host_found_tokens = sequence.host_found;
  facts.remote_found_tokens = sequence.remote_found;
  facts.loads = sequence.loads;
  facts.loading = sequence.loading;
  for (Observer* observer : observers_) observer->ended(facts);
  if (outcome != Outcome::unfinished) go_on(*sequence.request, outcome == Outcome::completed, at);
}

/// Sleeps until something happens, on a grid until the first pass that sees it.
void PlainRun::sleep_until(Time instant) {
  if (server_.grid_step == Duration(0)) {
    now_ = instant;
  } else {
    while (now_ < instant) {
      now_ += server_.grid_step;
      ++idle_passes_;
    }
  }
  change_before(now_ + Duration(1));
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
