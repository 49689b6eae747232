// The gamma function, quantiles of the gamma distribution and the cosine, against what is known of them.

#include "sim/core/gamma.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "sim/core/check.hpp"
#include "sim/core/math.hpp"
#include "sim/core/turns.hpp"

namespace decodesim {

namespace {

double error_of(double value, double truth) { return std::abs(value - truth) / std::max(std::abs(truth), 1.0); }

}  // namespace

TEST_CASE("the logarithm of the gamma function is that of factorials, and of the root of pi at one half") {
  CHECK(error_of(math::log_gamma(0.5), 0.57236494292470008707) < 1e-14);
  double factorial = 0;
  for (int n = 1; n < 60; ++n) {
    CAPTURE(n);
    CHECK(error_of(math::log_gamma(n), factorial) < 1e-14);
    factorial += math::log(n);
  }
  // G(a + 1) = a G(a), also across the change to the series.
  for (double a = 0.001; a < 40; a *= 1.3)
    CHECK(error_of(math::log_gamma(a + 1) - math::log_gamma(a), math::log(a)) < 1e-13);
  CHECK_THROWS_AS(math::log_gamma(0), BrokenInvariant);
}

TEST_CASE("gamma quantiles of whole shapes are passed with the probability that their Erlang sum says") {
  for (const double q : {1e-12, 1e-6, 0.001, 0.01, 0.1, 0.3, 0.5, 0.50001, 0.7, 0.9, 0.999, 0.999999}) {
    CAPTURE(q);
    const double one = math::gamma_exceeded(1, q);
    CHECK(error_of(one, -math::log(q)) < 1e-12);
    const double two = math::gamma_exceeded(2, q);
    CHECK(std::abs((1 + two) * math::exp(-two) / q - 1) < 1e-11);
    const double four = math::gamma_exceeded(4, q);
    const double sum = 1 + four + four * four / 2 + four * four * four / 6;
    CHECK(std::abs(sum * math::exp(-four) / q - 1) < 1e-11);
  }
  CHECK(math::gamma_exceeded(3, 1) == 0);
}

TEST_CASE("a gamma variable of shape one half is half the square of a normal one") {
  for (const double q : {1e-10, 1e-4, 0.05, 0.4, 0.5, 0.6, 0.95, 0.9999}) {
    CAPTURE(q);
    const double normal = math::normal_quantile(q / 2);
    CHECK(std::abs(math::gamma_exceeded(0.5, q) / (normal * normal / 2) - 1) < 1e-10);
  }
}

TEST_CASE("gamma quantiles fall with their probability and keep to the median's series, for all shapes in use") {
  for (const double shape : {0.0025, 0.01, 0.2, 0.9, 1.1, 7.0, 100.0, 10'000.0}) {
    CAPTURE(shape);
    double before = math::gamma_exceeded(shape, 0x1p-53);
    CHECK(std::isfinite(before));
    for (int i = 1; i < 200; ++i) {
      const double x = math::gamma_exceeded(shape, i / 200.0);
      REQUIRE(x >= 0);
      REQUIRE(x <= before);
      before = x;
    }
    // The median is a - 1/3 + 8/405a and smaller terms.
    if (shape > 50) CHECK(std::abs(math::gamma_exceeded(shape, 0.5) - (shape - 1.0 / 3 + 8 / (405 * shape))) < 1e-5);
  }
}

TEST_CASE("the cosine of turns is that of the C library to the last bits, and exact at quarters") {
  CHECK(math::cosine_of_turns(0) == 1);
  CHECK(math::cosine_of_turns(0.5) == -1);
  CHECK(std::abs(math::cosine_of_turns(0.25)) == 0);
  CHECK(std::abs(math::cosine_of_turns(7.75)) == 0);
  for (int i = -3000; i < 3000; ++i) {
    const double turns = i / 997.0;
    REQUIRE(std::abs(math::cosine_of_turns(turns) - std::cos(6.283185307179586477 * turns)) < 4e-15);
  }
}

}  // namespace decodesim
