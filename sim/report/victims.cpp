#include "sim/report/victims.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <vector>

#include "sim/core/check.hpp"

namespace decodesim {

namespace {

__extension__ using Wide = __int128;

struct Portion {
  std::int64_t weight = 0;
  std::int64_t index = 0;
};

/// Splits a time by weights: all are rounded down, and the largest remainders get what is left, of equal ones the lower index.
std::vector<Duration> split(Duration time, std::span<const Portion> portions) {
  std::int64_t sum = 0;
  for (const Portion& one : portions) sum += one.weight;
  check(sum > 0 || time == Duration{}, "a time is split among nobody");
  std::vector<Duration> shares(portions.size());
  if (sum == 0) return shares;
  std::vector<std::int64_t> remainders(portions.size());
  std::int64_t left = time.count();
  for (std::size_t i = 0; i < portions.size(); ++i) {
    const Wide product = static_cast<Wide>(time.count()) * portions[i].weight;
    shares[i] = Duration(static_cast<std::int64_t>(product / sum));
    remainders[i] = static_cast<std::int64_t>(product % sum);
    left -= shares[i].count();
  }
  std::vector<std::size_t> order(portions.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (remainders[a] != remainders[b]) return remainders[a] > remainders[b];
    return portions[a].index < portions[b].index;
  });
  for (std::size_t i = 0; left > 0; ++i, --left) shares[order[i]] += Duration(1);
  return shares;
}

}  // namespace

std::vector<Duration> split_recompute_time(Duration time, std::span<const RecomputeFacts> recomputes) {
  std::vector<Portion> portions;
  for (const RecomputeFacts& one : recomputes) portions.push_back({one.tokens, one.request->index});
  return split(time, portions);
}

std::vector<TransferTime> split_transfers(const StepFacts& facts) {
  std::vector<Portion> portions;
  for (const SwapFacts& one : facts.swaps) portions.push_back({one.blocks, one.request->index});
  portions.push_back({facts.host_tier_blocks, std::numeric_limits<std::int64_t>::max()});
  const std::vector<Duration> total = split(facts.transfer_time, portions);
  // By what each takes, so that nobody waits for more than that.
  for (std::size_t i = 0; i < total.size(); ++i) portions[i].weight = total[i].count();
  const std::vector<Duration> waited = split(facts.ledger.of(TimePart::transfers), portions);
  std::vector<TransferTime> parts;
  for (std::size_t i = 0; i < total.size(); ++i) parts.push_back({total[i], waited[i]});
  return parts;
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
  book_transfers(facts);
  if (facts.recomputes.empty()) return;
  const std::vector<Duration> shares = split_recompute_time(facts.recompute_time, facts.recomputes);
  for (std::size_t i = 0; i < shares.size(); ++i) {
    EvictionAccount& account = victims_[facts.recomputes[i].request->index].account;
    account.recomputed_tokens += facts.recomputes[i].tokens;
    account.recompute_time += shares[i];
  }
}

void Victims::book_transfers(const StepFacts& facts) {
  if (facts.swaps.empty()) {
    host_tier_ += {facts.transfer_time, facts.ledger.of(TimePart::transfers)};
    return;
  }
  const std::vector<TransferTime> parts = split_transfers(facts);
  for (std::size_t i = 0; i < facts.swaps.size(); ++i) {
    EvictionAccount& account = victims_[facts.swaps[i].request->index].account;
    account.add(facts.swaps[i]);
    account.transfers += parts[i];
  }
  host_tier_ += parts.back();
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
