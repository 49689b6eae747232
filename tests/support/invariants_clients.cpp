// What must hold of clients that leave, and of the turns of sessions.

#include <algorithm>
#include <optional>

#include "tests/support/invariants.hpp"

namespace decodesim::tests {

/// A client left. The step that runs is not told yet, and may be of it still.
void InvariantChecker::note_left(Life& life, const RequestFacts& facts) {
  const Request& request = life.request;
  std::optional<Duration> waits = request.timeout;
  if (request.cancel_after) waits = waits ? std::min(*waits, *request.cancel_after) : *request.cancel_after;
  const bool times_out = waits && request.timeout == waits;
  require(waits && facts.ended == request.arrival + *waits, "a client leaves when it said so");
  require(facts.reason == (times_out ? reason_timed_out : reason_cancelled_by_client), "who leaves says why");
  life.left = true;
  left_.emplace_back(&life, facts);
  left_.back().second.request = &life.request;
  last_happened_ = std::max(last_happened_, facts.ended);
  now_ = std::max(now_, facts.ended);
  passes_without_end_ = 0;
  ++outcomes_[facts.outcome];
}

bool InvariantChecker::names(const ScheduleFacts& schedule, const Life& life) {
  const auto is = [&](const Request* request) { return request->index == life.request.index; };
  const auto any = [&](const auto& list) {
    return std::any_of(list.begin(), list.end(), [&](const auto& one) { return is(one.first); });
  };
  const auto any_of_requests = [&](const auto& list) { return std::any_of(list.begin(), list.end(), is); };
  return any(schedule.scheduled) || any(schedule.held) || any(schedule.cached_tokens) ||
         any_of_requests(schedule.waiting) || any_of_requests(schedule.preempted) ||
         any_of_requests(schedule.swapped_in) || any_of_requests(schedule.loads_started) ||
         any_of_requests(schedule.finished);
}

/// Those who left before the pass of the `next` step was planned, all where no step is told next.
void InvariantChecker::bury_left_before(const StepFacts* next) {
  std::vector<std::pair<Life*, RequestFacts>> in_step;
  std::vector<std::pair<Life*, RequestFacts>> before;
  for (const auto& [life, facts] : left_) {
    const bool named = next != nullptr && names(*next->schedule, *life);
    require(next == nullptr || facts.ended >= next->start || !named, "who left is in no pass after that");
    const bool still_there = next != nullptr && (facts.ended > next->start || named);
    (still_there ? in_step : before).emplace_back(life, facts);
  }
  left_ = before;
  bury_left();
  left_ = in_step;
}

/// All that happened to those who left has been told.
void InvariantChecker::bury_left() {
  for (auto& [life, facts] : left_) {
    check_account(*life, facts);
    std::erase(running_, life);
    std::erase(waiting_, life);
    std::erase(loading_, life);
    let_go(life->table);
    life->table.clear();
    life->untold_blocks = 0;
    life->state = State::ended;
  }
  left_.clear();
}

/// A later turn comes when the one before it was answered, and thought over.
void InvariantChecker::check_turn(const Request& request) {
  const auto before = last_turns_.find(request.session);
  if (request.turn <= 1) {
    visits_.push_back(1);
    return require(request.turn == 0 || before == last_turns_.end(), "a session begins once");
  }
  if (before == last_turns_.end()) return require(false, "a session begins with its first turn");
  const Turn& last = before->second;
  visits_[last.place] = 0;  // it was not over then
  require(last.number + 1 == request.turn, "the turns of a session come one by one");
  require(request.arrival >= last.ended + (last.answered ? request.think_time : Duration{}),
          "a turn comes after the end of the one before it and its think time");
  require(last.answered || request.arrival == last.ended, "what is not asked any more goes at once");
}

void InvariantChecker::note_end(const RequestFacts& facts) {
  visits_.push_back(-1);
  const Request& request = *facts.request;
  if (request.turn == 0) return;
  const auto before = last_turns_.find(request.session);
  const bool asked = request.turn == 1 || before == last_turns_.end() || before->second.answered;
  require(facts.outcome == Outcome::unfinished || asked == (facts.reason != reason_turn_unanswered),
          "a turn is not asked where the one before it was not answered");
  last_turns_[request.session] = {request.turn, facts.ended, facts.outcome == Outcome::completed, visits_.size() - 1};
}

/// Whether a session goes on is known only when its next turn comes, so places are counted when all is over.
void InvariantChecker::check_places() {
  std::int64_t inside = 0;
  for (const int change : visits_) {
    inside += change;
    require(!places_ || inside <= *places_, "a closed loop has no more requests or sessions inside than places");
  }
  require(inside == 0, "who came in is over at the end");
}

}  // namespace decodesim::tests
