#pragma once
// The eviction accounts of requests that are still in the server.

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "sim/report/eviction_account.hpp"
#include "sim/serving/observer.hpp"

namespace decodesim {

/// Keeps an account of each request that was evicted and has not ended: memory follows these, and a step costs what was
/// evicted, computed again or admitted in it.
class Victims {
 public:
  void step(const StepFacts& facts);
  /// The account of a request that ends, which is then forgotten; a zero one where it was never evicted. Throws
  /// BrokenInvariant where it is not what the request says of itself.
  EvictionAccount ended(const RequestFacts& facts);

  /// Since its arrival, the longest that a victim had been in the server when it had a place again.
  [[nodiscard]] Duration oldest_return() const { return oldest_return_; }
  /// The longest that a victim was without a place at a stretch.
  [[nodiscard]] Duration longest_away() const { return longest_away_; }
  /// What steps spent on transfers that were nobody's eviction: those of the host tier.
  [[nodiscard]] const TransferTime& host_tier() const { return host_tier_; }

 private:
  struct Victim {
    EvictionAccount account;
    std::optional<Time> away_since;
  };
  void returns(Victim& victim, const Request& request, Time now);
  void book_transfers(const StepFacts& facts);

  std::map<std::int64_t, Victim> victims_;  // by index
  Duration oldest_return_{};
  Duration longest_away_{};
  TransferTime host_tier_;
};

/// Splits a step's recompute time among those who caused it, by tokens computed again, in whole nanoseconds that add up to
/// it: each gets its share rounded down, and the largest remainders one more; of equal ones the lower index.
std::vector<Duration> split_recompute_time(Duration time, std::span<const RecomputeFacts> recomputes);

/// The same of a step's transfers: by blocks among its swaps and, last, the host tier; and of each part, in proportion, how
/// much was waited for.
std::vector<TransferTime> split_transfers(const StepFacts& facts);

}  // namespace decodesim
