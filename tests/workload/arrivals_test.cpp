// Arrival processes and rates over time have the rates and the spread that were asked for.

#include "sim/workload/generators/arrivals.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "sim/core/gamma.hpp"
#include "sim/core/math.hpp"
#include "sim/workload/generators/unit_gaps.hpp"

namespace decodesim {

namespace {

constexpr int seeds = 20;

ArrivalSpec process_of(ArrivalProcess process, double rate) {
  ArrivalSpec spec;
  spec.process = process;
  spec.request_rate = rate;
  return spec;
}

RateStage stage(double rate, double seconds, std::optional<double> end = {}) {
  return {rate, end, Duration(static_cast<std::int64_t>(seconds * 1e9))};
}

/// Seconds of all arrivals before `end`.
std::vector<double> arrivals_before(const ArrivalSpec& spec, std::uint64_t seed, double end) {
  Arrivals arrivals(spec, seed, "");
  std::vector<double> times;
  double before = 0;
  for (auto at = arrivals.next(); at && to_seconds(*at) < end; at = arrivals.next()) {
    times.push_back(to_seconds(*at));
    REQUIRE(times.back() >= before);
    before = times.back();
  }
  return times;
}

std::int64_t count_within(const std::vector<double>& times, double from, double to) {
  std::int64_t count = 0;
  for (const double time : times) count += time >= from && time < to ? 1 : 0;
  return count;
}

/// E X^k of a gap with mean 1.
double moment(const ArrivalSpec& spec, int k) {
  const double cv = cv_of_gaps(spec);
  if (spec.process == ArrivalProcess::gamma) {
    const double shape = 1 / (cv * cv);
    return math::exp(math::log_gamma(shape + k) - math::log_gamma(shape)) / math::pow(shape, k);
  }
  const double shape = spec.process == ArrivalProcess::weibull ? weibull_shape(cv) : 1;
  return math::exp(math::log_gamma(1 + k / shape) - k * math::log_gamma(1 + 1 / shape));
}

}  // namespace

TEST_CASE("gaps of every process have their mean and their spread, over twenty seeds") {
  constexpr std::int64_t n = 10'000;
  std::vector<ArrivalSpec> specs{process_of(ArrivalProcess::poisson, 7)};
  for (const double cv : {0.4, 1.0, 2.0}) {
    for (const ArrivalProcess process : {ArrivalProcess::gamma, ArrivalProcess::weibull}) {
      specs.push_back(process_of(process, 7));
      specs.back().cv = cv;
    }
  }
  for (const ArrivalSpec& spec : specs) {
    CAPTURE(static_cast<int>(spec.process));
    CAPTURE(cv_of_gaps(spec));
    // The mean of m gaps has the standard error cv / sqrt(m); that of their squares sqrt((E X^4 - (E X^2)^2) / m).
    const double cv = cv_of_gaps(spec);
    const double square_spread = std::sqrt(moment(spec, 4) - moment(spec, 2) * moment(spec, 2));
    CHECK(std::abs(moment(spec, 2) - (1 + cv * cv)) < 1e-9);
    double sum_of_all = 0, squares_of_all = 0;
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
      Arrivals arrivals(spec, seed, "");
      double sum = 0, squares = 0, before = 0;
      for (std::int64_t i = 0; i < n; ++i) {
        const double at = to_seconds(*arrivals.next()) * spec.request_rate;
        sum += at - before;
        squares += (at - before) * (at - before);
        before = at;
      }
      CHECK(std::abs(sum / n - 1) < 4 * cv / std::sqrt(n));
      sum_of_all += sum;
      squares_of_all += squares;
    }
    const double m = n * seeds;
    CHECK(std::abs(sum_of_all / m - 1) < 3 * cv / std::sqrt(m));
    CHECK(std::abs(squares_of_all / m - (1 + cv * cv)) < 3 * square_spread / std::sqrt(m));
  }
}

TEST_CASE(
    "gamma and Weibull gaps with a cv of one are those of a Poisson process, and burstiness is one over cv squared") {
  const auto poisson = arrivals_before(process_of(ArrivalProcess::poisson, 5), 3, 100);
  ArrivalSpec gamma = process_of(ArrivalProcess::gamma, 5);
  gamma.cv = 1;
  ArrivalSpec weibull = process_of(ArrivalProcess::weibull, 5);
  weibull.cv = 1;
  CHECK(arrivals_before(gamma, 3, 100) == poisson);
  CHECK(arrivals_before(weibull, 3, 100) == poisson);
  gamma.cv = 2;
  ArrivalSpec bursty = process_of(ArrivalProcess::gamma, 5);
  bursty.burstiness = 0.25;
  CHECK(arrivals_before(gamma, 3, 100) == arrivals_before(bursty, 3, 100));
  CHECK(arrivals_before(gamma, 3, 100) != poisson);
}

TEST_CASE("stages hold each for its own time, exactly with even gaps and on average with random ones") {
  ArrivalSpec even = process_of(ArrivalProcess::constant, 0);
  even.stages = {stage(5, 600), stage(0, 60), stage(10, 600)};
  const auto times = arrivals_before(even, 1, 1e9);
  CHECK(count_within(times, 0, 600) == 3000);
  CHECK(count_within(times, 600, 660) == 0);
  CHECK(count_within(times, 660, 1260) == 6000);
  CHECK(times.size() == 9000);  // and no more once the stages have ended
  CHECK(times.front() == 0);
  CHECK(times[1] == doctest::Approx(0.2));
  CHECK(times[3000] == doctest::Approx(660));

  ArrivalSpec random = even;
  random.process = ArrivalProcess::poisson;
  std::int64_t first = 0, second = 0;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const auto drawn = arrivals_before(random, seed, 1e9);
    first += count_within(drawn, 0, 600);
    CHECK(count_within(drawn, 600, 660) == 0);
    second += count_within(drawn, 660, 1260);
  }
  // A Poisson count has the standard error of its root.
  CHECK(std::abs(static_cast<double>(first) - 3000 * seeds) < 3 * std::sqrt(3000.0 * seeds));
  CHECK(std::abs(static_cast<double>(second) - 6000 * seeds) < 3 * std::sqrt(6000.0 * seeds));
}

TEST_CASE("a ramp goes evenly from one rate to the other, upwards and downwards") {
  ArrivalSpec even = process_of(ArrivalProcess::constant, 0);
  even.stages = {stage(0, 100, 20), stage(20, 100, 0)};
  const auto times = arrivals_before(even, 1, 1e9);
  // Up to t of the ramp 0.1 t^2 requests are expected; down it is the same from the other end.
  CHECK(times.size() == 2000);
  for (std::size_t i = 0; i < 1000; ++i) REQUIRE(times[i] == doctest::Approx(std::sqrt(static_cast<double>(i) / 0.1)));
  for (std::size_t i = 1; i <= 1000; ++i)
    REQUIRE(times[2000 - i] == doctest::Approx(200 - std::sqrt(static_cast<double>(i) / 0.1)));
}

TEST_CASE("stages that repeat begin again, however long nobody asks") {
  ArrivalSpec even = process_of(ArrivalProcess::constant, 0);
  even.stages = {stage(2, 10), stage(0, 5)};
  even.repeat = true;
  const auto times = arrivals_before(even, 1, 150);
  CHECK(times.size() == 200);
  for (int round = 0; round < 10; ++round) {
    CHECK(count_within(times, round * 15, round * 15 + 10) == 20);
    CHECK(count_within(times, round * 15 + 10, round * 15 + 15) == 0);
  }
  ArrivalSpec rare = process_of(ArrivalProcess::constant, 0);
  rare.stages = {stage(1e-6, 1)};
  rare.repeat = true;
  Arrivals arrivals(rare, 1, "");
  CHECK(to_seconds(*arrivals.next()) == 0);
  CHECK(to_seconds(*arrivals.next()) == doctest::Approx(1e6));
}

TEST_CASE("a diurnal rate brings more in the half of a period that lies above the mean, and its mean overall") {
  ArrivalSpec spec = process_of(ArrivalProcess::poisson, 10);
  spec.diurnal = {0.8, std::chrono::seconds(100)};
  double high = 0, low = 0;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const auto times = arrivals_before(spec, seed, 1000);
    for (int period = 0; period < 10; ++period) {
      high += static_cast<double>(count_within(times, period * 100, period * 100 + 50));
      low += static_cast<double>(count_within(times, period * 100 + 50, period * 100 + 100));
    }
  }
  // The integral over the upper half wave is mean * period * (1/2 + amplitude / pi).
  const double above = 1000 * (0.5 + 0.8 / 3.14159265358979) * 10 * seeds;
  const double below = 1000 * (0.5 - 0.8 / 3.14159265358979) * 10 * seeds;
  CHECK(std::abs(high - above) < 3 * std::sqrt(above));
  CHECK(std::abs(low - below) < 3 * std::sqrt(below));
}

TEST_CASE("bursts come at their rate and nobody asks between them") {
  ArrivalSpec spec = process_of(ArrivalProcess::on_off, 50);
  spec.on = std::chrono::seconds(2);
  spec.off = std::chrono::seconds(8);
  spec.phases = PhaseLength::constant;
  double total = 0;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const auto times = arrivals_before(spec, seed, 1000);
    for (const double time : times) REQUIRE(std::fmod(time, 10) < 2);
    total += static_cast<double>(times.size());
  }
  CHECK(std::abs(total - 10'000 * seeds) < 3 * std::sqrt(10'000.0 * seeds));
  // Of random length, the share of time within a burst is the same on average. A cycle brings 100 requests on average with a
  // variance of 100 + 50^2 * 4, over cycles of 10 s with a variance of 4 + 64; the variance of the count of a renewal reward
  // process is (v + mean_reward^2 v_cycle / mean_cycle^2 - 2 cov mean_reward / mean_cycle) / mean_cycle a second, where
  // reward and cycle share the burst: cov = 50 * 4.
  spec.phases = PhaseLength::exponential;
  double drawn = 0;
  for (std::uint64_t seed = 0; seed < seeds; ++seed)
    drawn += static_cast<double>(arrivals_before(spec, seed, 10'000).size());
  const double variance = (100 + 2500 * 4 + 10 * 10 * 68.0 - 2 * 200 * 10) / 10 * 10'000 * seeds;
  CHECK(std::abs(drawn - 100'000.0 * seeds) < 3 * std::sqrt(variance));
}

TEST_CASE("a rate over time maps the same gaps: twice the rate plays them at half the time") {
  ArrivalSpec slow = process_of(ArrivalProcess::weibull, 0);
  slow.cv = 1.5;
  slow.stages = {stage(1, 100, 5), stage(3, 50)};
  ArrivalSpec fast = slow;
  fast.stages = {stage(2, 50, 10), stage(6, 25)};
  const auto one = arrivals_before(slow, 9, 1e9);
  const auto other = arrivals_before(fast, 9, 1e9);
  REQUIRE(one.size() == other.size());
  REQUIRE(one.size() > 100);
  for (std::size_t i = 0; i < one.size(); ++i) CHECK(std::abs(one[i] - 2 * other[i]) < 3e-9);
}

}  // namespace decodesim
