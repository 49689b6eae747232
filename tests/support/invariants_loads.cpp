// What must hold of KV that is loaded while others run.

#include <algorithm>

#include "tests/support/invariants.hpp"

namespace decodesim::tests {

/// Who begins to load leaves the queue.
void InvariantChecker::replay_loads(const StepFacts& facts) {
  const ScheduleFacts& schedule = *facts.schedule;
  for (const Request* request : schedule.loads_started) {
    Life& life = life_of(request);
    require(life.state == State::waiting && waits_at(life, facts.start), "only who waits begins to load");
    require(!rules_.evicts_or_admits || schedule.preempted.empty(), "nothing is loaded in a pass that evicts");
    require(!takes_head() || begins_in_turn(life, facts), "nobody begins to load before who stands before it");
    waiting_.erase(std::remove(waiting_.begin(), waiting_.end(), &life), waiting_.end());
    const auto place =
        rules_.by_priority ? std::upper_bound(loading_.begin(), loading_.end(), &life, more_urgent) : loading_.end();
    loading_.insert(place, &life);
    life.state = State::loading;
    ++loads_seen_;
  }
}

/// Those who load keep the blocks that they took, the first of which others may have filled in this pass.
void InvariantChecker::hold_tables(const StepFacts& facts) {
  for (const auto& [request, table] : facts.schedule->held) {
    Life& life = life_of(request);
    require(life.state == State::loading, "only who loads holds blocks while it waits");
    require(life.table.empty() || life.table == table, "who loads holds the same blocks until it is admitted");
    if (!life.table.empty()) continue;
    life.hits = 0;
    const auto most = static_cast<std::size_t>((life.known() - 1) / server_.block_size);
    for (std::size_t i = 0; i < table.size(); ++i) {
      // Of KV that came from elsewhere no pass tells when it can be found, so who shares such a block is believed.
      const bool believed = contents_.count(table[i]) == 0 && holders_.count(table[i]) > 0;
      const bool found = believed || has_own_hash(table[i], life, static_cast<std::int64_t>(i));
      const bool hit = rules_.caches_prefixes && life.hits == i && i < most && found;
      if (hit) {
        ++life.hits;
        ++holders_[table[i]];
      } else {
        hand_out(table[i]);
      }
    }
    life.table = table;
  }
}

/// All who stand before it are admitted in this pass, or load.
bool InvariantChecker::begins_in_turn(const Life& life, const StepFacts& facts) const {
  std::set<std::int64_t> served;
  for (const Request* one : facts.schedule->loads_started) served.insert(one->index);
  for (const auto& [one, tokens] : facts.schedule->scheduled) served.insert(one->index);
  return std::all_of(waiting_.begin(), std::find(waiting_.begin(), waiting_.end(), &life), [&](const Life* other) {
    return !waits_at(*other, facts.start) || served.count(other->request.index) > 0;
  });
}

}  // namespace decodesim::tests
