// Distributions of lengths and durations have the means, spreads and quantiles that were asked for.

#include "sim/workload/generators/lengths.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <vector>

#include "sim/workload/traces/trace.hpp"

namespace decodesim {

namespace {

constexpr int seeds = 20;
constexpr int n = 10'000;

LengthSpec length_of(LengthDistribution distribution) {
  LengthSpec spec;
  spec.distribution = distribution;
  spec.min = 1;
  spec.max = 1'000'000;
  return spec;
}

std::vector<double> drawn(const LengthSpec& spec) {
  std::vector<double> values;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    Lengths lengths(spec, seed, "input lengths");
    for (int i = 0; i < n; ++i) values.push_back(static_cast<double>(lengths.next()));
  }
  return values;
}

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

/// The mean of m independent draws has the standard error deviation / sqrt(m).
void check_mean(const std::vector<double>& values, double mean, double deviation) {
  CHECK(std::abs(mean_of(values) - mean) < 3 * deviation / std::sqrt(static_cast<double>(values.size())));
}

/// The share of m draws below the quantile p has the standard error sqrt(p (1 - p) / m).
void check_quantile(const std::vector<double>& values, double quantile, double p) {
  const auto m = static_cast<double>(values.size());
  double below = 0;
  for (const double value : values) below += value <= quantile ? 1 : 0;
  CHECK(std::abs(below / m - p) < 3 * std::sqrt(p * (1 - p) / m));
}

}  // namespace

TEST_CASE("lengths have their mean over twenty seeds, whatever they are drawn from") {
  LengthSpec normal = length_of(LengthDistribution::normal);
  normal.mean = 2000;
  normal.std_dev = 300;
  const auto by_deviation = drawn(normal);
  check_mean(by_deviation, 2000, 300);
  check_quantile(by_deviation, 2000.5, 0.5007);  // whole numbers: half a token above the median is 1/600 of a deviation
  normal.std_dev.reset();
  normal.cv = 0.15;
  CHECK(drawn(normal) == by_deviation);

  LengthSpec exponential = length_of(LengthDistribution::exponential);
  exponential.mean = 3000;
  const auto long_ones = drawn(exponential);
  check_mean(long_ones, 3000, 3000);
  check_quantile(long_ones, 3000 * std::log(100.0), 0.99);

  LengthSpec lognormal = length_of(LengthDistribution::lognormal);
  lognormal.mean = 1000;
  lognormal.cv = 0.8;
  check_mean(drawn(lognormal), 1000, 800);
}

TEST_CASE("a lognormal length hits its median and its 99th percentile") {
  LengthSpec spec = length_of(LengthDistribution::lognormal);
  spec.median = 1020;
  spec.p99 = 4142;
  const auto values = drawn(spec);
  check_quantile(values, 1020.5, 0.5003);  // half a token above: the density there is about 0.00065 a token
  check_quantile(values, 4142.5, 0.99);
}

TEST_CASE("a Pareto tail takes its share and falls with its exponent") {
  LengthSpec spec = length_of(LengthDistribution::pareto_lognormal);
  spec.max = 1'000'000'000;
  spec.mean = 100;
  spec.cv = 0.3;
  spec.tail_share = 0.1;
  spec.tail_alpha = 1.5;
  spec.tail_min = 10'000;
  const auto values = drawn(spec);
  // The body ends far below the tail's beginning.
  check_quantile(values, 5000, 0.9);
  check_quantile(values, 40'000, 1 - 0.1 * std::pow(0.25, 1.5));
  const LengthSpec body = [&] {
    LengthSpec without = spec;
    without.distribution = LengthDistribution::lognormal;
    return without;
  }();
  check_mean(drawn(body), 100, 30);
}

TEST_CASE("draws beyond min and max are cut to them") {
  for (const LengthDistribution distribution :
       {LengthDistribution::normal, LengthDistribution::lognormal, LengthDistribution::exponential,
        LengthDistribution::pareto_lognormal}) {
    CAPTURE(static_cast<int>(distribution));
    LengthSpec spec = length_of(distribution);
    spec.min = 80;
    spec.max = 120;
    spec.mean = 100;
    spec.cv = 3;
    spec.tail_share = 0.5;
    spec.tail_alpha = 1;
    spec.tail_min = 90;
    const auto values = drawn(spec);
    CHECK(*std::min_element(values.begin(), values.end()) == 80);
    CHECK(*std::max_element(values.begin(), values.end()) == 120);
  }
}

TEST_CASE("empirical lengths are those of the trace's rows, alone by column or both of one row") {
  const auto file = std::filesystem::temp_directory_path() / "decodesim-lengths-test.csv";
  std::ofstream(file) << "arrival_s,input_tokens,output_tokens\n0,100,1\n1,200,2\n2,300,3\n";
  LengthSpec spec;
  spec.distribution = LengthDistribution::empirical;
  spec.file = file.string();
  Lengths inputs(spec, 5, "input lengths");
  Lengths outputs(spec, 5, "output lengths", LengthColumn::output_tokens);
  JointLengths joint(file.string(), 5, "lengths");
  int seen[4] = {}, alike = 0;
  for (int i = 0; i < 30'000; ++i) {
    const std::int64_t input = inputs.next();
    const std::int64_t output = outputs.next();
    REQUIRE((input == 100 || input == 200 || input == 300));
    REQUIRE((output >= 1 && output <= 3));
    alike += input == output * 100 ? 1 : 0;
    ++seen[input / 100];
    const LengthPair pair = joint.next();
    REQUIRE(pair.input_tokens == pair.output_tokens * 100);
  }
  // Thirds, within three standard errors of a binomial draw: sqrt(30,000 * 1/3 * 2/3) = 81.6.
  for (int k = 1; k <= 3; ++k) CHECK(std::abs(seen[k] - 10'000) < 245);
  CHECK(std::abs(alike - 10'000) < 245);
  std::filesystem::remove(file);
  CHECK_THROWS_AS(read_lengths(file.string()), TraceError);
}

TEST_CASE("durations have their mean, and constant ones are always the same") {
  for (const DurationDistribution distribution : {DurationDistribution::exponential, DurationDistribution::lognormal}) {
    DurationSpec spec{distribution, std::chrono::seconds(5), 1};
    std::vector<double> values;
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
      Durations durations(spec, seed, "think times");
      for (int i = 0; i < n; ++i) values.push_back(to_seconds(durations.next()));
    }
    check_mean(values, 5, 5);
  }
  Durations same({DurationDistribution::constant, Duration(7), 0}, 1, "think times");
  CHECK(same.next() == Duration(7));
  CHECK(same.next() == Duration(7));
}

}  // namespace decodesim
