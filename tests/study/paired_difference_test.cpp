#include "sim/study/paired_difference.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

using namespace decodesim;
using doctest::Approx;

namespace {

/// The share of Student's t between -x and x, by Simpson's rule over its density.
double share_within(double x, double degrees) {
  const double scale =
      std::exp(std::lgamma((degrees + 1) / 2) - std::lgamma(degrees / 2)) / std::sqrt(degrees * std::acos(-1.0));
  const auto density = [&](double t) { return scale * std::pow(1 + t * t / degrees, -(degrees + 1) / 2); };
  constexpr int pieces = 20'000;
  const double width = x / pieces;
  double sum = density(0) + density(x);
  for (int i = 1; i < pieces; ++i) sum += (i % 2 != 0 ? 4 : 2) * density(width * i);
  return 2 * sum * width / 3;
}

}  // namespace

TEST_CASE("between the 95 % points of Student's t lie 95 % of it, for any degrees of freedom") {
  for (std::int64_t degrees = 1; degrees <= 200; ++degrees) {
    CAPTURE(degrees);
    CHECK(share_within(student_t_95(degrees), static_cast<double>(degrees)) == Approx(0.95).epsilon(1e-5));
  }
  for (std::int64_t degrees = 2; degrees <= 200; ++degrees) CHECK(student_t_95(degrees) < student_t_95(degrees - 1));
  CHECK(student_t_95(1'000'000) == Approx(1.95996).epsilon(1e-5));
}

TEST_CASE("the interval of a paired difference is that of the differences, worked by hand") {
  // Differences 1, 2, 3, 6: mean 3, sample deviation sqrt(14/3), standard error sqrt(14/12), t(3) = 3.1824.
  const std::vector<double> first{10, 20, 30, 40};
  const std::vector<double> other{11, 22, 33, 46};
  const PairedDifference difference = paired_difference(first, other);
  CHECK(difference.pairs == 4);
  CHECK(difference.first_mean == Approx(25));
  CHECK(difference.mean == Approx(3));
  CHECK(difference.half_width == Approx(3.1824 * std::sqrt(14.0 / 12)));
  CHECK(difference.relative(difference.mean) == Approx(0.12));
  CHECK(difference.within_noise());
}

TEST_CASE("what a seed does to both cancels out: a constant difference has no width, however the seeds differ") {
  const PairedDifference difference =
      paired_difference(std::vector<double>{1, 1000, 5}, std::vector<double>{3, 1002, 7});
  CHECK(difference.mean == Approx(2));
  CHECK(difference.half_width == Approx(0).scale(1));
  CHECK(!difference.within_noise());
}

TEST_CASE("one pair has a difference and no interval; seeds in which one was not measured are left out") {
  const PairedDifference single = paired_difference(std::vector<double>{4}, std::vector<double>{5});
  CHECK(single.mean == 1);
  CHECK(std::isnan(single.half_width));
  CHECK(!single.within_noise());
  const PairedDifference gaps =
      paired_difference(std::vector<double>{not_measured, 2, 3, 4}, std::vector<double>{1, not_measured, 4, 6});
  CHECK(gaps.pairs == 2);
  CHECK(gaps.mean == Approx(1.5));
  CHECK(paired_difference(std::vector<double>{not_measured}, std::vector<double>{1}).pairs == 0);
}

TEST_CASE("a share of a first mean of zero is not measured") {
  const PairedDifference difference = paired_difference(std::vector<double>{0, 0}, std::vector<double>{5, 7});
  CHECK(difference.mean == Approx(6));
  CHECK(std::isnan(difference.relative(difference.mean)));
}
