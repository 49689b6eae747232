#include "sim/report/victims.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include "sim/core/check.hpp"

namespace decodesim {

namespace {

__extension__ using Wide = __int128;

}  // namespace

std::vector<Duration> split_recompute_time(Duration time, std::span<const RecomputeFacts> recomputes) {
  std::int64_t tokens = 0;
  for (const RecomputeFacts& one : recomputes) tokens += one.tokens;
  std::vector<Duration> shares(recomputes.size());
  std::vector<std::int64_t> remainders(recomputes.size());
  std::int64_t left = time.count();
  for (std::size_t i = 0; i < recomputes.size(); ++i) {
    const Wide product = static_cast<Wide>(time.count()) * recomputes[i].tokens;
    shares[i] = Duration(static_cast<std::int64_t>(product / tokens));
    remainders[i] = static_cast<std::int64_t>(product % tokens);
    left -= shares[i].count();
  }
  std::vector<std::size_t> order(recomputes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (remainders[a] != remainders[b]) return remainders[a] > remainders[b];
    return recomputes[a].request->index < recomputes[b].request->index;
  });
  for (std::size_t i = 0; left > 0; ++i, --left) shares[order[i]] += Duration(1);
  return shares;
}

void Victims::step(const StepFacts& facts) {
  for (const EvictionFacts& eviction : facts.evictions) {
    Victim& victim = victims_[eviction.victim->index];
    victim.account.add(eviction);
    // A victim that came back and lost its place again within the pass was never there.
    if (!victim.away_since) victim.away_since = facts.start;
  }
  if (!victims_.empty()) {
    for (const Request* request : facts.entered) {
      const auto found = victims_.find(request->index);
      if (found != victims_.end()) returns(found->second, *request, facts.start);
    }
  }
  if (facts.recomputes.empty()) return;
  const std::vector<Duration> shares = split_recompute_time(facts.recompute_time, facts.recomputes);
  for (std::size_t i = 0; i < shares.size(); ++i) {
    EvictionAccount& account = victims_[facts.recomputes[i].request->index].account;
    account.recomputed_tokens += facts.recomputes[i].tokens;
    account.recompute_time += shares[i];
  }
}

void Victims::returns(Victim& victim, const Request& request, Time now) {
  if (!victim.away_since) return;
  const Duration away = now - *victim.away_since;
  victim.account.away += away;
  victim.away_since.reset();
  longest_away_ = std::max(longest_away_, away);
  oldest_return_ = std::max(oldest_return_, now - request.arrival);
}

EvictionAccount Victims::ended(const RequestFacts& facts) {
  EvictionAccount account;
  if (const auto found = victims_.find(facts.request->index); found != victims_.end()) {
    returns(found->second, *facts.request, facts.ended);
    account = found->second.account;
    victims_.erase(found);
  }
  account.found_again_tokens = facts.found_again_tokens;
  check(account.preemptions == facts.preemptions, "a request's evictions are not those that were told of it");
  check(account.recomputed_tokens == facts.recomputed_tokens, "a request's recompute is not what steps told of it");
  check(account.discarded_tokens == facts.discarded_tokens, "a request's lost KV is not what its evictions told");
  check(account.swapped_out_tokens == facts.swapped_out_tokens, "a request's swaps are not those that were told of it");
  return account;
}

}  // namespace decodesim
