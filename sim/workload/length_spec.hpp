#pragma once
// Distributions of lengths and of durations, as a scenario writes them.

#include <cstdint>
#include <optional>
#include <string>

#include "sim/core/time.hpp"

namespace decodesim {

enum class LengthDistribution { constant, uniform, lognormal, normal, exponential, pareto_lognormal, empirical };

// Beyond this no server has gone, and sums over a million requests still fit 64 bits.
inline constexpr std::int64_t longest_request = 1'000'000'000;

/// Tokens of a prompt or an answer, or turns of a session; a constant 0 where nothing was stated. `constant` has min = max.
/// Draws of the others are rounded, and those beyond min and max are cut to them, which moves mean and spread a little.
struct LengthSpec {
  LengthDistribution distribution = LengthDistribution::constant;
  std::int64_t min = 0;             // 0: not stated, and draws are cut to 1
  std::int64_t max = 0;             // 0: not stated, and draws are as long as they come
  std::optional<double> mean{};     // normal, exponential, lognormal
  std::optional<double> cv{};       // normal, lognormal: the standard deviation over the mean
  std::optional<double> std_dev{};  // normal
  std::optional<double> median{};   // lognormal, with p99 in place of mean and cv
  std::optional<double> p99{};
  double tail_share = 0;  // pareto_lognormal: of the draws that come from the Pareto tail
  double tail_alpha = 0;  // its exponent
  std::int64_t tail_min = 0;
  std::string file{};  // empirical: a trace, of which the column is drawn from

  [[nodiscard]] bool stated() const { return min > 0 || max > 0 || distribution != LengthDistribution::constant; }
  [[nodiscard]] bool is_drawn() const {
    return distribution == LengthDistribution::empirical || shortest() != longest();
  }
  /// Are its draws cut to ends? A trace's lengths are as they are.
  [[nodiscard]] bool has_ends() const { return stated() && distribution != LengthDistribution::empirical; }
  [[nodiscard]] std::int64_t shortest() const { return min > 0 ? min : 1; }
  [[nodiscard]] std::int64_t longest() const { return max > 0 ? max : longest_request; }

  friend bool operator==(const LengthSpec&, const LengthSpec&) = default;
};

enum class DurationDistribution { constant, exponential, lognormal };

/// A duration such as a think time; a mean of zero where nothing was stated.
struct DurationSpec {
  DurationDistribution distribution = DurationDistribution::constant;
  Duration mean{};
  double cv = 0;  // lognormal: the standard deviation over the mean

  friend bool operator==(const DurationSpec&, const DurationSpec&) = default;
};

}  // namespace decodesim
