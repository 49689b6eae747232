// Who leaves the queue and who comes back to it, replayed.

#include <algorithm>
#include <tuple>

#include "tests/support/invariants.hpp"

namespace decodesim::tests {

/// Was it in the queue when the pass began, or came back to it by an eviction?
bool InvariantChecker::waits_at(const Life& life, Time start) {
  return (life.request.arrival <= start && !life.unseen) || life.preemptions > 0;
}

bool InvariantChecker::more_urgent(const Life* a, const Life* b) {
  const Request& of_a = a->request;
  const Request& of_b = b->request;
  return std::tie(of_a.priority, of_a.arrival, of_a.index) < std::tie(of_b.priority, of_b.arrival, of_b.index);
}

/// No running sequence would have been a better victim, as far as facts from before the pass say it.
void InvariantChecker::check_victim(const Life& victim) {
  for (const Life* other : running_) {
    const Request& a = other->request;
    const Request& b = victim.request;
    bool better = false;
    if (rules_.victim == "last-admitted") better = other == running_.back() && other != &victim;
    if (rules_.victim == "lowest-priority") better = std::tie(a.priority, a.arrival) > std::tie(b.priority, b.arrival);
    if (rules_.victim == "fewest-generated") {
      better = other->emitted < victim.emitted || (other->emitted == victim.emitted && a.input_tokens > b.input_tokens);
    }
    if (rules_.victim == "least-recompute") better = other->cached < victim.cached;
    if (rules_.victim == "latest-arrival") better = std::tie(a.arrival, a.index) > std::tie(b.arrival, b.index);
    require(!better, "the victim is whom the rule names");
  }
}

/// Where a victim waits. Who arrives during the step stands behind all that waited at its start.
void InvariantChecker::put_back(Life& victim, Time start) {
  auto place = waiting_.end();
  if (rules_.victims_to_head) place = waiting_.begin();
  if (rules_.by_priority) place = std::upper_bound(waiting_.begin(), waiting_.end(), &victim, more_urgent);
  if (rules_.victims_by_rank) {
    place =
        std::find_if(waiting_.begin(), waiting_.end(), [&](const Life* other) { return other->rank > victim.rank; });
  }
  if (rules_.victims_to_tail) {
    place = std::find_if(waiting_.begin(), waiting_.end(), [&](const Life* other) { return !waits_at(*other, start); });
  }
  waiting_.insert(place, &victim);
}

/// Is what the step before yielded for this victim lost? Where an empty pass came between, which is not told, it may be seen.
bool InvariantChecker::loses_token(const Life& victim, const StepFacts& facts, std::size_t next) const {
  if (victim.yielded_in != facts.number - 1) return false;
  if (rules_.late_tokens) return true;
  return server_.scheduler.drop_in_flight && next < facts.withdrawn.size() &&
         facts.withdrawn[next].request->index == victim.request.index;
}

/// The engine had not looked at the token, so the victim goes on without it, even where it was its last.
void InvariantChecker::withdraw_token(Life& victim, const StepFacts& facts, std::size_t& next) {
  if (next == facts.withdrawn.size()) return require(false, "every token that is lost is told");
  const WithdrawnToken& told = facts.withdrawn[next++];
  require(told.request->index == victim.request.index, "lost tokens are told in the order of eviction");
  require(told.gap.has_value() == (victim.emitted > 1), "only a first token has no gap");
  require(!told.gap || *told.gap == victim.last_token - victim.token_before, "the gap is that before the lost token");
  gaps_ -= told.gap ? 1 : 0;
  tokens_ -= 1;
  victim.emitted -= 1;
  victim.last_token = victim.token_before;
  if (victim.emitted == 0) victim.first_token = Time{Duration(-1)};
  if (victim.over) std::erase(over_, &victim);
  victim.over = false;
}

/// Did the pass reach this victim before its requester? Then it had tokens of the pass, which were taken back.
bool InvariantChecker::was_served_before(const Life& victim, const EvictionFacts& told) const {
  for (const Life* one : running_) {
    if (one->request.index == told.requester->index) return false;
    if (one == &victim) return true;
  }
  return false;
}

/// The evicted lose their blocks and go back to the queue, but for one that gives up.
void InvariantChecker::replay_evictions(const StepFacts& facts) {
  require(!rules_.never_evicts || facts.evictions.empty(), "an engine that sets memory aside evicts nobody");
  std::size_t next = 0;
  std::size_t next_withdrawn = 0;
  for (const Request* request : facts.schedule->preempted) {
    Life& life = life_of(request);
    require(runs(life), "only who runs is evicted");
    if (loses_token(life, facts, next_withdrawn)) withdraw_token(life, facts, next_withdrawn);
    if (life.over) {  // it has all its tokens: it loses nothing, and does not come back
      running_.erase(std::remove(running_.begin(), running_.end(), &life), running_.end());
      give_back(life.table, server_.scheduler.defer_frees && step_in_flight_);
      life.cached = 0;
      continue;
    }
    if (next == facts.evictions.size()) return require(false, "every eviction is told");
    const EvictionFacts& told = facts.evictions[next++];
    require(request->index == told.victim->index, "evictions are told in their order");
    require(!rules_.evicts_last_admitted || (!running_.empty() && running_.back() == &life),
            "the last admitted is evicted first");
    check_victim(life);
    if (rules_.hashes_ahead && was_served_before(life, told)) note_taken_back(life);
    running_.erase(std::remove(running_.begin(), running_.end(), &life), running_.end());
    give_back(life.table, server_.scheduler.defer_frees && step_in_flight_);
    life.untold_blocks = 0;
    life.preemptions += 1;
    if (told.requester == told.victim) life.self_preemptions += 1;
    require(told.tokens == life.cached, "an eviction tells what the victim had");
    if (told.fate == KvFate::swapped) {
      life.swapped_out += life.cached;
      life.host_blocks = told.blocks;
      life.state = State::swapped;
      continue;
    }
    life.discarded += life.cached;
    life.high = std::max(life.high, life.cached);
    life.cached = 0;
    const SchedulerSpec& knobs = server_.scheduler;
    if (knobs.never_fits == NeverFits::fail_after && life.self_preemptions >= knobs.fail_after) {
      life.state = State::leaving;
    } else {
      life.state = State::waiting;
      put_back(life, facts.start);
    }
  }
  require(next_withdrawn == facts.withdrawn.size(), "no token is lost but of those evicted right after it");
}

void InvariantChecker::replay_admission(Life& life, const StepFacts& facts) {
  require(!rules_.evicts_or_admits || facts.schedule->preempted.empty(), "nothing is admitted in a pass that evicts");
  if (life.state == State::loading) {
    loading_.erase(std::remove(loading_.begin(), loading_.end(), &life), loading_.end());
    life.loaded = true;
    enter_running(life);
    return take_found(life, found_by(life, facts));
  }
  life.loaded = false;
  require(life.request.arrival <= facts.start, "nobody is admitted before it arrives");
  const auto head =
      std::find_if(waiting_.begin(), waiting_.end(), [&](const Life* other) { return waits_at(*other, facts.start); });
  require(!takes_head() || (head != waiting_.end() && *head == &life), "the head of the queue is admitted first");
  for (const Life* other : waiting_) {
    require(!rules_.first_come_first || loads_seen_ > 0 || other == &life || other->rank > life.rank,
            "nobody is admitted before one who came earlier");
  }
  waiting_.erase(std::remove(waiting_.begin(), waiting_.end(), &life), waiting_.end());
  enter_running(life);

  const std::int64_t found = found_by(life, facts);
  const bool computed = server_.serving.prefill == PrefillMode::computed;
  if (computed && !rules_.has_radix_tree && !rules_.caches_prefixes && server_.host_cache.chunks == 0) {
    require(found == 0, "nothing is found in place where prompts are computed");
  }
  if (rules_.caches_prefixes) check_hits(life, found, facts);
  take_found(life, found);
}

/// Tokens in place at the admission of `life`, as the pass tells them.
std::int64_t InvariantChecker::found_by(const Life& life, const StepFacts& facts) {
  for (const auto& [request, tokens] : facts.schedule->cached_tokens) {
    if (request->index == life.request.index) return tokens;
  }
  return 0;
}

void InvariantChecker::take_found(Life& life, std::int64_t found) {
  require(found < life.known(), "at least one token is computed at admission");
  if (life.loaded) loaded_ += found - static_cast<std::int64_t>(life.hits) * server_.block_size;
  const std::int64_t again = std::min(found, life.high);
  life.found_again += again;
  life.found_first += found - again;
  life.admitted = life.prefilling = true;
  life.cached = found;
}

/// Who waited and neither waits nor runs after the pass left the queue, and is in nobody's way there.
void InvariantChecker::set_aside_given_up(const StepFacts& facts) {
  std::set<std::int64_t> still;
  for (const Request* request : facts.schedule->waiting) still.insert(request->index);
  for (const auto& [request, tokens] : facts.schedule->scheduled) still.insert(request->index);
  std::erase_if(waiting_, [&](Life* life) {
    const bool leaves = waits_at(*life, facts.start) && still.count(life->request.index) == 0;
    if (leaves) life->state = State::leaving;
    return leaves;
  });
}

/// The queue after the pass. Who left it without being admitted gave up, and must be told so at the end of the pass.
void InvariantChecker::replay_waiting(const StepFacts& facts) {
  std::vector<std::int64_t> expected;
  std::vector<std::int64_t> told;
  for (const Request* request : facts.schedule->waiting) told.push_back(request->index);
  const std::set<std::int64_t> still(told.begin(), told.end());
  std::erase_if(loading_, [&](Life* life) {
    if (still.count(life->request.index) > 0) return false;
    require(server_.scheduler.never_fits == NeverFits::fail_after, "nobody gives up what it loaded");
    life->state = State::leaving;
    give_back(life->table, false);
    return true;
  });
  auto loading = loading_.begin();
  const auto expect_loading_before = [&](const Life* other) {
    for (; loading != loading_.end() && (other == nullptr || !rules_.by_priority || more_urgent(*loading, other));
         ++loading)
      expected.push_back((*loading)->request.index);
  };
  for (auto it = waiting_.begin(); it != waiting_.end();) {
    Life& life = **it;
    const bool here_at_start = waits_at(life, facts.start);
    if (here_at_start && still.count(life.request.index) == 0) {
      require(server_.scheduler.never_fits == NeverFits::fail_after, "nobody leaves the queue unserved");
      life.state = State::leaving;
      it = waiting_.erase(it);
      continue;
    }
    if (here_at_start) {
      expect_loading_before(&life);
      expected.push_back(life.request.index);
    }
    ++it;
  }
  expect_loading_before(nullptr);
  if (!takes_head()) {
    std::sort(expected.begin(), expected.end());
    std::sort(told.begin(), told.end());
  }
  require(expected == told, "the queue keeps its order");
}

}  // namespace decodesim::tests
