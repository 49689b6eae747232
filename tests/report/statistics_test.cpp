// Percentiles, means and deviations against a sorted array and the naive formulas.

#include "sim/core/statistics.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "sim/core/histogram.hpp"

using namespace decodesim;

namespace {

/// A small generator of whole numbers; the tests need variety, not quality.
struct Numbers {
  std::uint64_t state = 42;
  std::int64_t below(std::int64_t limit) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::int64_t>(state >> 33) % limit;
  }
};

double quantile_of_sorted(const std::vector<double>& sorted, double q) {
  const double position = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(position));
  const auto above = static_cast<std::size_t>(std::ceil(position));
  return sorted[below] + (sorted[above] - sorted[below]) * (position - std::floor(position));
}

constexpr double quantiles[] = {0, 0.01, 0.1, 0.25, 0.5, 0.9, 0.99, 0.999, 1};

}  // namespace

TEST_CASE("quantiles equal interpolation in the sorted array, whatever the order and the repeats") {
  Numbers numbers;
  for (int round = 0; round < 500; ++round) {
    std::vector<double> values;
    const std::int64_t size = 1 + numbers.below(round < 100 ? 5 : 300);
    for (std::int64_t i = 0; i < size; ++i)
      values.push_back(static_cast<double>(numbers.below(round % 2 ? 4 : 1 << 30)));
    std::vector<double> sorted = values;
    std::sort(sorted.begin(), sorted.end());
    for (double q : quantiles)
      CHECK(quantile(values, q) == doctest::Approx(quantile_of_sorted(sorted, q)).epsilon(1e-14));
    const Summary summary = summarize(values);
    CHECK(summary.p90 == quantile(sorted, 0.9));
    CHECK(summary.count == size);
  }
}

TEST_CASE("four known numbers have the quantiles, mean and population deviation that numpy gives") {
  std::vector<double> values{4, 1, 3, 2};
  CHECK(quantile(values, 0.5) == 2.5);
  CHECK(quantile(values, 0.9) == doctest::Approx(3.7).epsilon(1e-15));
  CHECK(mean(values) == 2.5);
  CHECK(standard_deviation(values) == doctest::Approx(1.118033988749895).epsilon(1e-15));
}

TEST_CASE("nothing has no mean, no deviation and no quantile") {
  std::vector<double> none;
  CHECK(std::isnan(quantile(none, 0.5)));
  CHECK(std::isnan(summarize(none).mean));
  CHECK(std::isnan(Moments().mean()));
  CHECK(std::isnan(Moments().standard_deviation()));
  CHECK(std::isnan(Histogram().quantile(0.5)));
}

TEST_CASE("the mean of large and small numbers loses nothing") {
  const std::vector<double> values{1e16, 1, -1e16, 1};
  CHECK(mean(values) == 0.5);
}

TEST_CASE("moments equal mean and deviation of the listed values and do not depend on their order") {
  Numbers numbers;
  for (int round = 0; round < 200; ++round) {
    Moments forward;
    Moments backward;
    std::vector<double> listed;
    std::vector<std::int64_t> plain;
    const std::int64_t offset = round % 3 == 0 ? 20'000'000'000'000 : 0;
    for (int i = 0; i < 50; ++i) plain.push_back(offset + numbers.below(round % 2 ? 10 : 1'000'000'000));
    for (std::size_t i = 0; i < plain.size(); ++i) {
      const std::int64_t count = 1 + static_cast<std::int64_t>(i) % 3;
      forward.add(plain[i], count);
      for (std::int64_t k = 0; k < count; ++k) listed.push_back(static_cast<double>(plain[i] - offset));
    }
    for (std::size_t i = plain.size(); i-- > 0;) {
      for (std::size_t k = 0; k <= i % 3; ++k) backward.add(plain[i], 1);
    }
    CHECK(forward.count() == static_cast<std::int64_t>(listed.size()));
    CHECK(forward.mean() == doctest::Approx(mean(listed) + static_cast<double>(offset)).epsilon(1e-14));
    CHECK(forward.standard_deviation() == doctest::Approx(standard_deviation(listed)).epsilon(1e-9));
    CHECK(forward.mean() == backward.mean());
    CHECK(forward.standard_deviation() == backward.standard_deviation());
  }
}

TEST_CASE("a histogram's quantiles are within a thousandth of those of the sorted array") {
  CHECK(Histogram::relative_error <= 0.001);
  Numbers numbers;
  for (int round = 0; round < 300; ++round) {
    Histogram histogram;
    std::vector<double> values;
    const std::int64_t size = 1 + numbers.below(400);
    for (std::int64_t i = 0; i < size; ++i) {
      const std::int64_t value = numbers.below(std::int64_t{1} << (1 + numbers.below(30))) << numbers.below(30);
      const std::int64_t count = 1 + numbers.below(3);
      histogram.add(value, count);
      values.insert(values.end(), static_cast<std::size_t>(count), static_cast<double>(value));
    }
    CHECK(histogram.count() == static_cast<std::int64_t>(values.size()));
    for (double q : quantiles) {
      const double exact = quantile(values, q);
      CHECK(std::fabs(histogram.quantile(q) - exact) <= exact * Histogram::relative_error * (1 + 1e-12));
    }
  }
}

TEST_CASE("a histogram of a few distinct values is exact") {
  Histogram histogram;
  histogram.add(21'340'057, 320);
  histogram.add(1'000'000'000, 80);
  CHECK(histogram.quantile(0.5) == 21'340'057.0);
  CHECK(histogram.quantile(0.99) == 1'000'000'000.0);
  Histogram small;
  for (std::int64_t value = 0; value < 2048; ++value) small.add(value, 1);
  CHECK(small.quantile(0.25) == 0.25 * 2047);
}

TEST_CASE("a histogram takes the largest duration there is") {
  Histogram histogram;
  histogram.add(INT64_MAX, 1);
  CHECK(histogram.quantile(0.5) == doctest::Approx(9.223372036854775807e18).epsilon(1e-3));
}

TEST_CASE("il-20: a quantile lies between the order statistics on either side of its place") {
  std::vector<double> values{1, 2, 3, 4, 5};
  CHECK(decodesim::quantile(values, 0.9) == doctest::Approx(4.6));
}
