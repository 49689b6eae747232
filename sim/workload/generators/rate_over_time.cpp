#include "sim/workload/generators/rate_over_time.hpp"

#include <algorithm>
#include <cmath>

#include "sim/core/check.hpp"
#include "sim/core/turns.hpp"

namespace decodesim {

namespace {

constexpr double two_pi = 6.28318530717958647693;
constexpr double latest = 4e18;  // ns

Instant within(std::int64_t start, double nanoseconds) {
  Instant instant{start, 0};
  instant.add(std::max(nanoseconds, 0.0));
  return instant;
}

/// Seconds into the stage until `passed` requests are expected: the root of r t + (s / 2) t^2 = passed, in the form that
/// loses no digits where the slope s is small.
double seconds_into(const RateStage& stage, double passed) {
  if (passed <= 0) return 0;
  const double slope = (stage.rate_end.value_or(stage.rate) - stage.rate) / to_seconds(stage.duration);
  const double square = std::max(stage.rate * stage.rate + 2 * slope * passed, 0.0);
  return std::min(2 * passed / (stage.rate + std::sqrt(square)), to_seconds(stage.duration));
}

}  // namespace

double expected_in(const RateStage& stage) {
  return (stage.rate + stage.rate_end.value_or(stage.rate)) / 2 * to_seconds(stage.duration);
}

StagedRate::StagedRate(const std::vector<RateStage>& stages, bool repeat) : stages_(stages), repeat_(repeat) {
  for (const RateStage& stage : stages_) {
    check(stage.duration > Duration{} && stage.rate >= 0, "a stage has a duration");
    round_total_ += expected_in(stage);
    round_length_ += stage.duration.count();
  }
  check(round_total_ > 0, "some stage has a rate");
}

std::optional<Instant> StagedRate::after(double expected) {
  passed_ += expected;
  for (;;) {
    if (stage_ == stages_.size()) {
      if (!repeat_) return std::nullopt;
      stage_ = 0;
      // Rounds that pass without a request are passed at once.
      const double rounds = std::floor(passed_ / round_total_);
      check(rounds * static_cast<double>(round_length_) + static_cast<double>(start_) < latest,
            "an arrival lies beyond 126 years");
      passed_ = std::max(passed_ - rounds * round_total_, 0.0);
      start_ += static_cast<std::int64_t>(rounds) * round_length_;
    }
    const RateStage& stage = stages_[stage_];
    const double total = expected_in(stage);
    if (passed_ < total) return within(start_, seconds_into(stage, passed_) * 1e9);
    passed_ -= total;
    start_ += stage.duration.count();
    ++stage_;
  }
}

DiurnalRate::DiurnalRate(double mean, const DiurnalSpec& spec)
    : amplitude_(spec.amplitude), period_(spec.period.count()), total_(mean * to_seconds(spec.period)) {
  check(period_ > 0 && total_ > 0 && amplitude_ >= 0 && amplitude_ <= 1, "a wave has a period and stays above zero");
}

// The integral up to the share x of a period is total (x + amplitude (1 - cos 2 pi x) / 2 pi), which grows with x. Halving
// finds x to the last bit that counts.
std::optional<Instant> DiurnalRate::after(double expected) {
  passed_ += expected;
  const double periods = std::floor(passed_ / total_);
  check(periods * static_cast<double>(period_) + static_cast<double>(start_) < latest,
        "an arrival lies beyond 126 years");
  passed_ = std::max(passed_ - periods * total_, 0.0);
  start_ += static_cast<std::int64_t>(periods) * period_;
  const double wanted = passed_ / total_;
  double low = 0;
  double high = 1;
  for (int step = 0; step < 55; ++step) {
    const double middle = (low + high) / 2;
    const double reached = middle + amplitude_ * (1 - math::cosine_of_turns(middle)) / two_pi;
    (reached < wanted ? low : high) = middle;
  }
  return within(start_, (low + high) / 2 * static_cast<double>(period_));
}

BurstRate::BurstRate(const ArrivalSpec& spec, std::uint64_t seed, std::string_view purpose)
    : rate_(spec.request_rate),
      mean_on_(spec.on),
      mean_off_(spec.off),
      phases_(spec.phases),
      stream_(seed, purpose),
      on_(phase(spec.on)) {
  check(rate_ > 0 && spec.on > Duration{}, "a burst has a rate and lasts a while");
}

std::int64_t BurstRate::phase(Duration mean) {
  if (phases_ == PhaseLength::constant) return mean.count();
  return static_cast<std::int64_t>(std::floor(stream_.exponential() * static_cast<double>(mean.count()) + 0.5));
}

std::optional<Instant> BurstRate::after(double expected) {
  passed_ += expected;
  for (;;) {
    const double total = rate_ * static_cast<double>(on_) / 1e9;
    if (passed_ < total) return within(start_, passed_ / rate_ * 1e9);
    passed_ -= total;
    start_ += on_ + phase(mean_off_);
    check(static_cast<double>(start_) < latest, "an arrival lies beyond 126 years");
    on_ = phase(mean_on_);
  }
}

RateOverTime rate_over_time(const ArrivalSpec& spec, std::uint64_t seed, std::string_view purpose) {
  if (spec.process == ArrivalProcess::on_off) return BurstRate(spec, seed, purpose);
  if (!spec.stages.empty()) return StagedRate(spec.stages, spec.repeat);
  if (spec.diurnal.period > Duration{}) return DiurnalRate(spec.request_rate, spec.diurnal);
  check(spec.request_rate > 0 || spec.process == ArrivalProcess::all_at_once, "an arrival process without a rate");
  return SteadyRate(spec.request_rate);
}

}  // namespace decodesim
