#include "sim/workload/statistics.hpp"

#include <algorithm>
#include <cmath>

#include "sim/core/random.hpp"

namespace decodesim {

namespace {
constexpr std::int64_t small_tokens = std::int64_t{1} << 20;
}

// TokenCounts --------------------------------------------------------------------------------------------------------------

void TokenCounts::add(std::int64_t tokens) {
  ++count_;
  total_ += tokens;
  max_ = std::max(max_, tokens);
  if (tokens >= small_tokens) {
    ++large_[tokens];
    return;
  }
  const auto place = static_cast<std::size_t>(tokens);
  if (place >= small_.size()) small_.resize(std::max(place + 1, 2 * small_.size()));
  ++small_[place];
}

std::int64_t TokenCounts::at_rank(std::int64_t rank) const {
  for (std::size_t tokens = 0; tokens < small_.size(); ++tokens) {
    if (rank < small_[tokens]) return static_cast<std::int64_t>(tokens);
    rank -= small_[tokens];
  }
  for (const auto& [tokens, count] : large_) {
    if (rank < count) return tokens;
    rank -= count;
  }
  return max_;
}

double TokenCounts::quantile(double q) const {
  if (count_ == 0) return not_measured;
  const double place = q * static_cast<double>(count_ - 1);
  const auto below = static_cast<std::int64_t>(std::floor(place));
  const auto low = static_cast<double>(at_rank(below));
  const auto high = static_cast<double>(at_rank(std::min(below + 1, count_ - 1)));
  return low + (high - low) * (place - std::floor(place));
}

std::int64_t TokenCounts::between(std::int64_t from, std::int64_t to) const {
  std::int64_t count = 0;
  const auto end = std::min(static_cast<std::size_t>(std::max<std::int64_t>(to, 0)), small_.size());
  for (auto tokens = static_cast<std::size_t>(std::max<std::int64_t>(from, 0)); tokens < end; ++tokens)
    count += small_[tokens];
  for (auto at = large_.lower_bound(from); at != large_.end() && at->first < to; ++at) count += at->second;
  return count;
}

// Arrivals -----------------------------------------------------------------------------------------------------------------

void Dispersion::add(std::int64_t time) {
  const std::int64_t number = time / window_;
  if (number > number_) {  // windows that nobody came in add nothing to either sum
    sum_ += static_cast<double>(inside_);
    squares_ += static_cast<double>(inside_) * static_cast<double>(inside_);
    number_ = number;
    inside_ = 0;
  }
  ++inside_;
}

double Dispersion::index() const {
  if (number_ < 2) return not_measured;
  const auto windows = static_cast<double>(number_);
  const double mean = sum_ / windows;
  return ratio(squares_ / windows - mean * mean, mean);
}

void ArrivalCurve::add(std::int64_t time) {
  while (time / part_ >= static_cast<std::int64_t>(most)) {
    part_ *= 2;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      const std::int64_t count = counts_[i];
      counts_[i] = 0;
      counts_[i / 2] += count;
    }
    counts_.resize((counts_.size() + 1) / 2);
  }
  const auto place = static_cast<std::size_t>(time / part_);
  if (place >= counts_.size()) counts_.resize(place + 1);
  ++counts_[place];
}

void WorkloadStatistics::add_arrival(std::int64_t time) {
  if (arrivals_ == 0) {
    first_ = last_ = time;
    distinct_ = 1;
  }
  if (arrivals_ > 0) {
    const std::int64_t gap = time - last_;
    if (gap > 0) ++distinct_;
    if (gap > 0 && (smallest_gap_ == 0 || gap < smallest_gap_)) smallest_gap_ = gap;
    // Welford's recurrence: no difference of large sums.
    const double off = static_cast<double>(gap) - gaps_mean_;
    gaps_mean_ += off / static_cast<double>(arrivals_);
    gaps_squares_ += off * (static_cast<double>(gap) - gaps_mean_);
  }
  ++arrivals_;
  last_ = time;
  for (Dispersion* one : {&dispersion_1s, &dispersion_10s, &dispersion_60s}) one->add(time - first_);
  curve.add(time - first_);
}

double WorkloadStatistics::rate() const {
  return ratio(static_cast<double>(arrivals_), static_cast<double>(last_ - first_) / 1e9);
}

std::optional<Duration> WorkloadStatistics::smallest_gap() const {
  if (smallest_gap_ == 0) return std::nullopt;
  return Duration(smallest_gap_);
}

double WorkloadStatistics::gap_cv() const {
  if (arrivals_ < 3) return not_measured;
  return ratio(std::sqrt(gaps_squares_ / static_cast<double>(arrivals_ - 1)), gaps_mean_);
}

// Prefixes -----------------------------------------------------------------------------------------------------------------

void PrefixSharing::add(const Request& request) {
  if (request.content.empty() && request.session.empty()) return;
  std::uint64_t chain = stream_seed(0, request.cache_salt);
  std::int64_t shared = 0;
  std::int64_t found_of_it = 0;
  bool leading = true;
  const auto meet = [&](const TokenRun& run) {
    chain = scrambled(chain ^ run.key);
    std::int64_t& longest = known_[chain];
    const std::int64_t found = leading ? std::min(longest, run.tokens) : 0;
    leading = leading && found == run.tokens;
    longest = std::max(longest, run.tokens);
    return found;
  };
  for (const TokenRun& run : request.content) {
    const bool block = is_hash_id(run.key);
    const std::int64_t found = meet(run);
    blocks_ += block ? 1 : 0;
    found_blocks_ += block && found == run.tokens ? 1 : 0;
    found_of_it += found;
    shared += run.tokens;
  }
  found_tokens_ += found_of_it;
  sharing_ += found_of_it > 0 ? 1 : 0;
  // What later turns of the session begin with.
  if (!request.session.empty())
    meet({own_run_key(request.index), request.input_tokens - shared + request.output_tokens});
}

// All ----------------------------------------------------------------------------------------------------------------------

double WorkloadStatistics::think_time_mean() const { return ratio(think_time_, static_cast<double>(later_turns_)); }

void WorkloadStatistics::add(const Request& request) {
  input.add(request.input_tokens);
  output.add(request.output_tokens);
  bool later_turn = false;
  if (!request.session.empty()) {
    const std::int64_t turn = ++sessions[request.session];
    turns_longest_ = std::max(turns_longest_, turn);
    later_turn = turn > 1;
  }
  if (later_turn) {
    ++later_turns_;
    think_time_ += static_cast<double>(request.think_time.count()) / 1e9;
  } else {
    add_arrival(request.arrival.time_since_epoch().count());
  }
  prefix.add(request);
  if (!request.tenant.empty()) ++tenants[request.tenant];
  if (!request.slo_class.empty()) ++classes[request.slo_class];
}

}  // namespace decodesim
