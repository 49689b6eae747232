#include "sim/report/eviction_ledger.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "sim/core/check.hpp"

namespace decodesim {

void PreemptionHistogram::add(std::int64_t preemptions) {
  auto bin = static_cast<std::size_t>(preemptions);
  // 5 to 8 follows 4, and every bin after it is twice as wide as the one before.
  if (bin >= exact) bin = exact + static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(bin - 1))) - 3;
  ++counts_[bin];
}

PreemptionHistogram& PreemptionHistogram::operator+=(const PreemptionHistogram& other) {
  for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
  return *this;
}

std::vector<PreemptionHistogram::Bin> PreemptionHistogram::bins() const {
  std::vector<Bin> bins;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    Bin bin{static_cast<std::int64_t>(i), static_cast<std::int64_t>(i), counts_[i]};
    if (i >= exact) {
      const std::int64_t half = std::int64_t{4} << (i - exact);
      bin = {half + 1, half * 2, counts_[i]};
    }
    if (i + 4 > exact + 60) break;  // beyond 64 bits
    bins.push_back(bin);
    if (counts_[i] > 0) kept = bins.size();
  }
  bins.resize(kept);
  return bins;
}

void EvictionLedger::step(const StepFacts& facts) {
  check(facts.preempted == static_cast<std::int64_t>(facts.evictions.size()),
        "a step's preemptions are not those that it tells one by one");
  for (const EvictionFacts& eviction : facts.evictions) {
    told_.add(eviction);
    const Request* requester = eviction.requester;
    if (requester != nullptr && requester->index != eviction.victim->index)
      classes_[requester->slo_class].blocks_received += eviction.blocks;
  }
  told_.recomputed_tokens += facts.recomputed_tokens;
  told_.recompute_time += facts.recompute_time;
  told_.found_again_tokens += facts.found_again_tokens;
  for (const SwapFacts& swap : facts.swaps) told_.add(swap);
  told_.transfers += {facts.transfer_time, facts.ledger.of(TimePart::transfers)};
  victims_.step(facts);
}

EvictionAccount EvictionLedger::ended(const RequestFacts& facts) {
  const EvictionAccount account = victims_.ended(facts);
  Part& part = classes_[facts.request->slo_class];
  part.account += account;
  part.histogram.add(account.preemptions);
  ++part.requests;
  if (account.preemptions > 0) ++part.preempted;
  part.most = std::max(part.most, account.preemptions);
  return account;
}

void EvictionLedger::run_ended() const {
  EvictionAccount of_requests = run().account;
  const std::int64_t by_reason = std::accumulate(told_.by_reason.begin(), told_.by_reason.end(), std::int64_t{0});
  const std::int64_t by_fate = std::accumulate(told_.by_fate.begin(), told_.by_fate.end(), std::int64_t{0});
  check(by_reason == told_.preemptions && by_fate == told_.preemptions, "evictions by reason are not all evictions");
  of_requests.away = {};  // only requests tell of it
  of_requests.transfers += victims_.host_tier();
  check(of_requests == told_, "what evictions cost requests is not what steps tell of them");
}

EvictionSummary EvictionLedger::summary(std::string name, const Part& part) {
  return {std::move(name), part.account,         part.requests,        part.preempted,
          part.most,       part.blocks_received, part.histogram.bins()};
}

EvictionLedger::Part& EvictionLedger::Part::operator+=(const Part& other) {
  account += other.account;
  histogram += other.histogram;
  requests += other.requests;
  preempted += other.preempted;
  most = std::max(most, other.most);
  blocks_received += other.blocks_received;
  return *this;
}

EvictionSummary EvictionLedger::run() const {
  Part sum;
  for (const auto& [name, part] : classes_) sum += part;
  return summary({}, sum);
}

std::vector<EvictionSummary> EvictionLedger::classes() const {
  std::vector<EvictionSummary> list;
  for (const auto& [name, part] : classes_) list.push_back(summary(name, part));
  return list;
}

}  // namespace decodesim
