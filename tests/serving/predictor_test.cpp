// What a policy is told of a request's length.

#include "sim/serving/predictor.hpp"

#include <doctest/doctest.h>

#include <cmath>

namespace decodesim::tests {

namespace {

Predictor predictor(PredictorKind kind, double sigma = 0, std::uint64_t seed = 1) {
  ServerConfig server;
  server.scheduler.predictor = {kind, sigma};
  server.seed = seed;
  return Predictor(server);
}

Request request(std::int64_t index) {
  Request made;
  made.index = index;
  made.max_tokens = 5000;
  return made;
}

}  // namespace

TEST_CASE("the oracle tells the length, and so does a lognormal error of sigma 0") {
  for (std::int64_t tokens = 1; tokens < 3000; ++tokens) {
    REQUIRE(predictor(PredictorKind::oracle).predict(request(tokens), tokens) == tokens);
    REQUIRE(predictor(PredictorKind::lognormal, 0).predict(request(tokens), tokens) == tokens);
    REQUIRE(predictor(PredictorKind::max_tokens).predict(request(tokens), tokens) == 5000);
  }
}

TEST_CASE("buckets tell the least power of two that is not below the length") {
  for (std::int64_t tokens = 1; tokens < 3000; ++tokens) {
    const std::int64_t told = predictor(PredictorKind::buckets).predict(request(0), tokens);
    REQUIRE((told & (told - 1)) == 0);
    REQUIRE(told >= tokens);
    REQUIRE(told / 2 < tokens);
  }
}

TEST_CASE("the logarithm of a lognormal error is normal: its mean, its variance and its tails") {
  constexpr int n = 50'000;
  constexpr double sigma = 0.7;
  const Predictor told = predictor(PredictorKind::lognormal, sigma);
  double sum = 0;
  double squares = 0;
  std::int64_t beyond = 0;
  for (int i = 0; i < n; ++i) {
    // So long that rounding to whole tokens does not show.
    const double error = std::log(static_cast<double>(told.predict(request(i), 100'000'000)) / 1e8);
    sum += error;
    squares += error * error;
    beyond += std::abs(error) > 1.959963984540054 * sigma ? 1 : 0;
  }
  // Within five standard deviations each.
  CHECK(std::abs(sum / n) < 5 * sigma / std::sqrt(n));
  CHECK(std::abs(squares / n / (sigma * sigma) - 1) < 5 * std::sqrt(2.0 / n));
  CHECK(std::abs(static_cast<double>(beyond) / n - 0.05) < 5 * std::sqrt(0.05 * 0.95 / n));
}

TEST_CASE("a prediction depends on the request and the seed alone, and is at least one token") {
  const Predictor one = predictor(PredictorKind::lognormal, 3);
  const Predictor same = predictor(PredictorKind::lognormal, 3);
  const Predictor other = predictor(PredictorKind::lognormal, 3, 2);
  int different = 0;
  for (std::int64_t i = 999; i >= 0; --i) {
    const std::int64_t told = one.predict(request(i), 40);
    REQUIRE(told >= 1);
    REQUIRE(same.predict(request(i), 40) == told);
    different += other.predict(request(i), 40) != told ? 1 : 0;
  }
  CHECK(different > 900);
}

TEST_CASE("only what the client asks for is no oracle") {
  CHECK(is_oracle({PredictorKind::oracle, 0}));
  CHECK(is_oracle({PredictorKind::lognormal, 1}));
  CHECK(is_oracle({PredictorKind::buckets, 0}));
  CHECK(!is_oracle({PredictorKind::max_tokens, 0}));
}

}  // namespace decodesim::tests
