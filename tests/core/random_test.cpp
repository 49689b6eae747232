#include "sim/core/random.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "sim/core/check.hpp"

namespace decodesim {

TEST_CASE("a stream's first draws are the same on every machine and compiler") {
  CHECK(stream_seed(0, "") == 0x5B21F68FFA77F14Cu);
  CHECK(stream_seed(1, "arrivals") == 0xFEDF193B064DFF73u);
  CHECK(stream_seed(1, "input lengths") == 0x3AB4B4BB2766C79Au);

  Stream integers(1, "arrivals");
  for (const std::int64_t drawn : {914703, 371614, 307924, 814682, 438656})
    CHECK(integers.integer(1, 1'000'000) == drawn);
  Stream units(1, "arrivals");
  for (const double drawn : {0x1.917bb783b9e16p-2, 0x1.2056a519a7272p-2, 0x1.8204101b28c18p-4}) {
    CHECK(units.unit() == drawn);
  }
  Stream exponentials(1, "arrivals");
  for (const double drawn : {0x1.df637e249d4d6p-1, 0x1.44702f8c6ee1ep+0, 0x1.2e5255e7d0605p+1}) {
    CHECK(exponentials.exponential() == drawn);
  }
}

TEST_CASE("another purpose or another seed gives other numbers") {
  Stream one(1, "arrivals");
  Stream other_purpose(1, "input lengths");
  Stream other_seed(2, "arrivals");
  Stream same(1, "arrivals");
  int equal_purpose = 0;
  int equal_seed = 0;
  for (int i = 0; i < 1000; ++i) {
    const double drawn = one.unit();
    CHECK(same.unit() == drawn);
    equal_purpose += other_purpose.unit() == drawn ? 1 : 0;
    equal_seed += other_seed.unit() == drawn ? 1 : 0;
  }
  CHECK(equal_purpose == 0);
  CHECK(equal_seed == 0);
}

TEST_CASE("streams of neighbouring seeds are not correlated") {
  // The correlation of n independent pairs has a standard deviation of 1/sqrt(n); five of them are practically never.
  constexpr int n = 20'000;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Stream a(seed, "arrivals");
    Stream b(seed + 1, "arrivals");
    double products = 0;
    for (int i = 0; i < n; ++i) products += (a.unit() - 0.5) * (b.unit() - 0.5);
    CHECK(std::abs(products / n * 12) < 5 / std::sqrt(n));
  }
}

TEST_CASE("an integer of a range is each of its values equally often") {
  for (const std::int64_t choices : {1, 2, 3, 7, 10, 64}) {
    Stream chance(3, "integers");
    std::vector<double> counts(static_cast<std::size_t>(choices));
    constexpr int n = 60'000;
    for (int i = 0; i < n; ++i) {
      const std::int64_t drawn = chance.integer(-5, choices - 6);
      REQUIRE(drawn >= -5);
      REQUIRE(drawn <= choices - 6);
      counts[static_cast<std::size_t>(drawn + 5)] += 1;
    }
    const double wanted = static_cast<double>(n) / static_cast<double>(choices);
    double chi_squared = 0;
    for (const double count : counts) chi_squared += (count - wanted) * (count - wanted) / wanted;
    // Mean choices - 1, variance 2 (choices - 1).
    const double freedom = static_cast<double>(choices - 1);
    CHECK(chi_squared <= freedom + 5 * std::sqrt(2 * freedom));
  }
}

TEST_CASE("an integer may span all of 64 bits, or nearly so, without bias") {
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  Stream whole(1, "arrivals");
  CHECK(whole.integer(least, most) == 7232479601932914702);
  CHECK(whole.integer(most, most) == most);
  // Three quarters of 2^64: without rejection the lower third would come twice as often as the others.
  Stream chance(5, "three quarters");
  constexpr int n = 30'000;
  int lower_third = 0;
  for (int i = 0; i < n; ++i) lower_third += chance.integer(least, most / 2) < least + (std::int64_t{1} << 62) ? 1 : 0;
  CHECK(std::abs(lower_third - n / 3.0) < 5 * std::sqrt(n * 2.0 / 9.0));
}

TEST_CASE("an empty range has no integer") {
  Stream chance(1, "empty");
  CHECK_THROWS_AS(chance.integer(2, 1), BrokenInvariant);
}

TEST_CASE("units lie in (0, 1] with the mean and variance of the uniform distribution") {
  Stream chance(1, "units");
  constexpr int n = 200'000;
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < n; ++i) {
    const double drawn = chance.unit();
    REQUIRE(drawn > 0);
    REQUIRE(drawn <= 1);
    sum += drawn;
    squares += drawn * drawn;
  }
  CHECK(std::abs(sum / n - 0.5) < 4 * std::sqrt(1.0 / 12 / n));
  CHECK(std::abs(squares / n - 1.0 / 3) < 4 * std::sqrt(4.0 / 45 / n));
}

TEST_CASE("exponentials have mean and standard deviation 1 and no memory") {
  Stream chance(1, "exponentials");
  constexpr int n = 200'000;
  double sum = 0;
  double squares = 0;
  std::array<double, 3> beyond{};  // beyond 1, 2 and 3, each a factor e rarer than the one before
  for (int i = 0; i < n; ++i) {
    const double drawn = chance.exponential();
    REQUIRE(drawn >= 0);
    sum += drawn;
    squares += drawn * drawn;
    for (std::size_t k = 0; k < beyond.size(); ++k) beyond[k] += drawn > static_cast<double>(k + 1) ? 1 : 0;
  }
  CHECK(std::abs(sum / n - 1) < 4 * std::sqrt(1.0 / n));
  CHECK(std::abs(squares / n - 2) < 4 * std::sqrt(20.0 / n));
  for (std::size_t k = 0; k < beyond.size(); ++k) {
    const double share = std::exp(-static_cast<double>(k + 1));
    CHECK(std::abs(beyond[k] / n - share) < 4 * std::sqrt(share * (1 - share) / n));
  }
}

TEST_CASE("an indexed draw is the same whatever else is drawn, and evenly spread") {
  const IndexedDraws draws(3, "queue order");
  const IndexedDraws again(3, "queue order");
  const IndexedDraws other(4, "queue order");
  constexpr int n = 100'000;
  double sum = 0;
  double squares = 0;
  double neighbours = 0;
  for (int i = n - 1; i >= 0; --i) {
    const double unit = draws.unit(i);
    REQUIRE((unit > 0 && unit < 1));
    REQUIRE(again.unit(i) == unit);
    REQUIRE(other.number(i) != draws.number(i));
    sum += unit - 0.5;
    squares += (unit - 0.5) * (unit - 0.5);
    neighbours += (unit - 0.5) * (draws.unit(i + 1) - 0.5);
  }
  // Mean 0 and variance 1/12, within five standard deviations.
  CHECK(std::abs(sum / n) < 5 * std::sqrt(1.0 / 12 / n));
  CHECK(std::abs(squares / n * 12 - 1) < 5 * std::sqrt(0.8 / n));
  CHECK(std::abs(neighbours / n * 12) < 5 / std::sqrt(n));
}

}  // namespace decodesim
