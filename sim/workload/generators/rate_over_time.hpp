#pragma once
// Rates that change with time: from a number of expected requests to the moment when they have been reached.

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "sim/core/random.hpp"
#include "sim/workload/arrival_spec.hpp"
#include "sim/workload/generators/instant.hpp"

namespace decodesim {

/// Each of these starts at time zero. `after(expected)` moves on until the integral of the rate has grown by `expected`
/// requests; nothing where the rate ends before.

class SteadyRate {
 public:
  explicit SteadyRate(double rate) : gap_mean_(1e9 / rate) {}
  std::optional<Instant> after(double expected) {
    now_.add(expected * gap_mean_);
    return now_;
  }

 private:
  double gap_mean_;  // ns
  Instant now_;
};

/// Stages, within each of which the rate is constant or goes evenly from one value to another.
class StagedRate {
 public:
  StagedRate(const std::vector<RateStage>& stages, bool repeat);
  std::optional<Instant> after(double expected);
  /// Of all stages together, once.
  [[nodiscard]] double round_total() const { return round_total_; }

 private:
  std::vector<RateStage> stages_;
  bool repeat_;
  double round_total_ = 0;
  std::int64_t round_length_ = 0;  // ns
  std::size_t stage_ = 0;
  std::int64_t start_ = 0;  // of the stage, ns
  double passed_ = 0;       // requests expected since
};

/// A sine wave about a mean.
class DiurnalRate {
 public:
  DiurnalRate(double mean, const DiurnalSpec& spec);
  std::optional<Instant> after(double expected);

 private:
  double amplitude_;
  std::int64_t period_;  // ns
  double total_;         // of a period
  std::int64_t start_ = 0;
  double passed_ = 0;
};

/// Bursts at a constant rate, and nothing between them. How long they last has a stream of its own.
class BurstRate {
 public:
  BurstRate(const ArrivalSpec& spec, std::uint64_t seed, std::string_view purpose);
  std::optional<Instant> after(double expected);

 private:
  std::int64_t phase(Duration mean);

  double rate_;
  Duration mean_on_;
  Duration mean_off_;
  PhaseLength phases_;
  Stream stream_;
  std::int64_t on_;         // of this burst, ns
  std::int64_t start_ = 0;  // of it
  double passed_ = 0;
};

using RateOverTime = std::variant<SteadyRate, StagedRate, DiurnalRate, BurstRate>;

/// The rate that `spec` describes; `purpose` names the stream of what is drawn for it.
RateOverTime rate_over_time(const ArrivalSpec& spec, std::uint64_t seed, std::string_view purpose);

/// Requests expected in a stage.
double expected_in(const RateStage& stage);

}  // namespace decodesim
