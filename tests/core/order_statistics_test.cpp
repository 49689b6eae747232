#include "sim/core/order_statistics.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "sim/core/random.hpp"

namespace decodesim::tests {

namespace {

/// Every rank of `values`, against the same values sorted.
void check_every_rank(const std::vector<double>& values) {
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::size_t> ranks;
  for (std::size_t rank = values.size(); rank-- > 0;) ranks.push_back(rank);
  const std::vector<double> found = order_statistics(values, ranks);
  REQUIRE(found.size() == ranks.size());
  for (std::size_t i = 0; i < ranks.size(); ++i) CHECK(found[i] == sorted[ranks[i]]);
}

}  // namespace

TEST_CASE("the value at a rank is that of the sorted array, however values are spread") {
  Stream stream(1, "order statistics");
  for (const std::size_t size : {1, 2, 3, 10, 1000, 20000}) {
    CAPTURE(size);
    std::vector<double> even;
    std::vector<double> wide;
    std::vector<double> few;
    for (std::size_t i = 0; i < size; ++i) {
      const double unit = stream.unit();
      even.push_back(unit);
      wide.push_back((unit - 0.5) * std::pow(10.0, 600 * stream.unit() - 300));
      few.push_back(std::floor(unit * 3) - 1);
    }
    check_every_rank(even);
    check_every_rank(wide);
    check_every_rank(few);
    check_every_rank(std::vector<double>(size, 7.5));
  }
}

TEST_CASE("one value far from all others does not hide their order") {
  std::vector<double> values;
  for (int i = 999; i >= 0; --i) values.push_back(1 + i * 1e-12);
  values.push_back(std::numeric_limits<double>::max());
  values.push_back(-std::numeric_limits<double>::infinity());
  check_every_rank(values);
}

TEST_CASE("zeros of both signs are one value, and nothing is asked of nothing") {
  check_every_rank({0.0, -0.0, 1.0, -1.0, -0.0});
  CHECK(order_statistics({}, {}).empty());
}

}  // namespace decodesim::tests
