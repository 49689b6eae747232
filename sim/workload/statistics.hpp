#pragma once
// What a workload is like, counted request by request.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "sim/core/statistics.hpp"
#include "sim/core/time.hpp"
#include "sim/workload/request.hpp"

namespace decodesim {

/// Numbers of tokens, each counted, so that percentiles are exact. Percentiles lie between order statistics, as numpy's do.
class TokenCounts {
 public:
  void add(std::int64_t tokens);
  [[nodiscard]] std::int64_t count() const { return count_; }
  [[nodiscard]] std::int64_t total() const { return total_; }
  [[nodiscard]] double mean() const { return ratio(static_cast<double>(total_), static_cast<double>(count_)); }
  [[nodiscard]] std::int64_t max() const { return max_; }
  [[nodiscard]] double quantile(double q) const;
  /// How many lie in [from, to).
  [[nodiscard]] std::int64_t between(std::int64_t from, std::int64_t to) const;

 private:
  [[nodiscard]] std::int64_t at_rank(std::int64_t rank) const;

  std::vector<std::int64_t> small_;             // by value
  std::map<std::int64_t, std::int64_t> large_;  // beyond those
  std::int64_t count_ = 0;
  std::int64_t total_ = 0;
  std::int64_t max_ = 0;
};

/// The variance of how many arrive in a window over the mean: 1 for a Poisson process, more for bursts.
class Dispersion {
 public:
  explicit Dispersion(Duration window) : window_(window.count()) {}
  /// Times since the first arrival, in their order.
  void add(std::int64_t time);
  /// Over the windows that had ended by the last arrival; not_measured for fewer than two.
  [[nodiscard]] double index() const;

 private:
  std::int64_t window_;  // ns
  std::int64_t number_ = 0;
  std::int64_t inside_ = 0;  // of window `number_`
  double sum_ = 0;           // over the windows before it
  double squares_ = 0;
};

/// How many arrive when, in at most `most` parts of the whole, whose length doubles as it grows.
class ArrivalCurve {
 public:
  static constexpr std::size_t most = 256;
  void add(std::int64_t time);
  [[nodiscard]] Duration part() const { return Duration(part_); }
  [[nodiscard]] const std::vector<std::int64_t>& counts() const { return counts_; }

 private:
  std::int64_t part_ = 1'000'000;  // ns
  std::vector<std::int64_t> counts_;
};

/// What prompts find in an unbounded cache that has all that came before: the longest beginning that somebody had.
class PrefixSharing {
 public:
  void add(const Request& request);
  [[nodiscard]] std::int64_t found_tokens() const { return found_tokens_; }
  /// Blocks of hash ids; a partial last one counts as one.
  [[nodiscard]] std::int64_t blocks() const { return blocks_; }
  [[nodiscard]] std::int64_t found_blocks() const { return found_blocks_; }
  /// Requests that have part of their prompt in common with others, by what they say.
  [[nodiscard]] std::int64_t sharing_requests() const { return sharing_; }

 private:
  std::unordered_map<std::uint64_t, std::int64_t> known_;  // the hash of a run and all before it, to its longest length
  std::int64_t found_tokens_ = 0;
  std::int64_t blocks_ = 0;
  std::int64_t found_blocks_ = 0;
  std::int64_t sharing_ = 0;
};

/// Takes requests in the order of their arrival, turns of a session in their order. Memory does not grow with their number,
/// but with the number of distinct beginnings of prompts, sessions, tenants and classes.
class WorkloadStatistics {
 public:
  void add(const Request& request);

  [[nodiscard]] std::int64_t requests() const { return input.count(); }
  /// Of arrivals that do not hang on an answer: all but later turns of sessions.
  [[nodiscard]] std::int64_t arrivals() const { return arrivals_; }
  [[nodiscard]] Duration span() const { return Duration(last_ - first_); }
  [[nodiscard]] double rate() const;
  [[nodiscard]] std::int64_t distinct_arrivals() const { return distinct_; }
  /// Of those that are not zero; absent where all come at once.
  [[nodiscard]] std::optional<Duration> smallest_gap() const;
  /// Standard deviation of gaps over their mean.
  [[nodiscard]] double gap_cv() const;
  [[nodiscard]] std::int64_t turns_longest() const { return turns_longest_; }
  [[nodiscard]] double think_time_mean() const;  // seconds, of later turns

  TokenCounts input;
  TokenCounts output;
  Dispersion dispersion_1s{std::chrono::seconds(1)};
  Dispersion dispersion_10s{std::chrono::seconds(10)};
  Dispersion dispersion_60s{std::chrono::seconds(60)};
  ArrivalCurve curve;
  PrefixSharing prefix;
  std::map<std::string, std::int64_t> sessions;  // turns by session
  std::map<std::string, std::int64_t> tenants;   // requests by tenant and by class
  std::map<std::string, std::int64_t> classes;

 private:
  void add_arrival(std::int64_t time);

  std::int64_t arrivals_ = 0;
  std::int64_t first_ = 0;
  std::int64_t last_ = 0;
  std::int64_t distinct_ = 0;
  std::int64_t smallest_gap_ = 0;
  double gaps_mean_ = 0;     // ns
  double gaps_squares_ = 0;  // of what they differ from it
  std::int64_t turns_longest_ = 0;
  std::int64_t later_turns_ = 0;
  double think_time_ = 0;  // seconds
};

}  // namespace decodesim
