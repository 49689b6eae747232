// What must hold when a request or the run ends.

#include <algorithm>

#include "tests/support/invariants.hpp"

namespace decodesim::tests {

/// But for whose last token is lost, who therefore have not finished.
void InvariantChecker::check_nobody_is_late(std::span<const WithdrawnToken> lost) {
  for (const auto& [index, life] : lives_) {
    const bool lost_it =
        std::any_of(lost.begin(), lost.end(), [&](const auto& one) { return one.request->index == index; });
    if (lost_it && life.state == State::finishing) continue;
    require(life.state != State::finishing && life.state != State::leaving, "who finished or gave up is told at once");
  }
}

/// Those whose last token came with the step before give up their places after the pass.
void InvariantChecker::release_over(const StepFacts& facts) {
  if (!rules_.late_endings) return;
  std::vector<std::int64_t> expected;
  std::vector<std::int64_t> told;
  for (Life* life : over_) {
    expected.push_back(life->request.index);
    require(life->preemptions_told == life->preemptions, "the facts count the preemptions");
    running_.erase(std::remove(running_.begin(), running_.end(), life), running_.end());
    const bool served = std::any_of(facts.schedule->scheduled.begin(), facts.schedule->scheduled.end(),
                                    [&](const auto& grant) { return grant.first->index == life->request.index; });
    give_back(life->table, server_.scheduler.defer_frees && served);
  }
  for (const Request* request : facts.schedule->finished) told.push_back(request->index);
  require(expected == told, "who emitted its last token is finished by the next pass");
  over_.clear();
}

void InvariantChecker::check_account(const Life& life, const RequestFacts& facts) {
  require(facts.output_tokens == life.emitted, "the facts count the tokens emitted");
  // With late endings it may have been evicted by the pass that is told with the next step.
  require(life.over || facts.preemptions == life.preemptions, "the facts count the preemptions");
  require(facts.recomputed_tokens == life.recomputed, "the facts count the recomputed tokens");
  require(facts.swapped_out_tokens == life.swapped_out, "the facts count the tokens that went to the host");
  require(facts.scheduled == life.scheduled, "a request is scheduled when it first gets tokens");
  require(facts.first_token == life.first_token, "the first token comes at the end of its step");
}

void InvariantChecker::ended(const RequestFacts& facts) {
  Life& life = life_of(facts.request);
  require(life.state != State::ended, "a request ends once");
  require(facts.ended >= last_happened_, "endings come in the order of time");
  life.preemptions_told = facts.preemptions;
  note_end(facts);
  if (client_left(facts)) return note_left(life, facts);
  check_account(life, facts);
  require(facts.outcome == Outcome::completed ? facts.reason.empty() : !facts.reason.empty(), "who fails has a reason");
  switch (facts.outcome) {
    case Outcome::completed:
      require(life.state == State::finishing && life.emitted == life.output,
              "who completes has emitted all its output");
      require(facts.ended == life.last_token && facts.ended == now_, "a request ends with its last token");
      require(life.computed == life.request.input_tokens + life.output - 1 - life.found_first + life.recomputed,
              "tokens computed = P + O - 1 - found in place + recomputed");
      require(life.recomputed == life.discarded - life.found_again, "recomputed = discarded - found again");
      break;
    case Outcome::rejected: {
      const bool too_long = life.request.input_tokens >= server_.max_model_len;
      const bool too_large = !too_long && server_.scheduler.never_fits == NeverFits::reject && !fits_alone(life);
      require(life.state == State::waiting && !life.admitted, "only who was never served is rejected");
      require(too_long || too_large, "only who can never be served is rejected");
      require(facts.ended == life.request.arrival, "rejection comes at arrival");
      break;
    }
    case Outcome::cancelled:
      if (facts.reason == reason_turn_unanswered) {
        require(facts.ended == life.request.arrival && life.state == State::waiting && !life.admitted,
                "a turn that is not asked comes and goes at once");
        break;
      }
      require((life.state == State::leaving || life.state == State::swapped) && facts.ended == now_,
              "who gives up leaves at the end of the pass");
      // Who has loaded holds blocks, and where it stands behind who is refused for want of them it holds them for ever.
      require(life.preemptions > 0 || !fits_alone(life) || !loading_.empty(),
              "only who was evicted, can never fit or waits for blocks of who has loaded gives up");
      break;
    case Outcome::unfinished:
      check_host_room();
      break;
  }
  waiting_.erase(std::remove(waiting_.begin(), waiting_.end(), &life), waiting_.end());
  life.state = State::ended;
  last_happened_ = std::max(last_happened_, facts.ended);
  if (facts.outcome != Outcome::rejected) passes_without_end_ = 0;
  ++outcomes_[facts.outcome];
}

void InvariantChecker::run_ended(const RunFacts& facts) {
  require(!run_ended_, "a run ends once");
  run_ended_ = true;
  bury_left_before(nullptr);
  check_nobody_is_late();
  check_places();
  for (const Life* life : over_) {
    require(life->preemptions_told == life->preemptions, "the facts count the preemptions");
  }
  std::int64_t ended = 0;
  std::int64_t first_tokens = 0;
  for (const auto& [outcome, count] : outcomes_) ended += count;
  for (const auto& [index, life] : lives_) {
    require(life.state == State::ended, "every request ends");
    first_tokens += life.emitted > 0 ? 1 : 0;
  }
  require(ended == static_cast<std::int64_t>(lives_.size()),
          "requests in = completed + rejected + cancelled + unfinished");
  require(gaps_ + first_tokens + accepted_ == tokens_, "gaps, first tokens and accepted drafts are all tokens");
  require(facts.end == last_happened_, "the run ends with the last thing that happened");
  const bool cut_short = !facts.watchdog.empty() || facts.interrupted;
  require(cut_short || outcomes_[Outcome::unfinished] == 0, "only a run that is cut short leaves requests unfinished");
  require(facts.watchdog.empty() || outcomes_[Outcome::unfinished] > 0, "the watchdog ends only what is unfinished");
  if (all_fit_alone_ && !rules_.may_cycle && !rules_.may_stand_still)
    require(facts.watchdog.empty(), "where every request fits alone, all come to an end");
}

std::string InvariantChecker::violation() const {
  if (violation_.empty() && !run_ended_) return "the run never ended";
  return violation_;
}

}  // namespace decodesim::tests
