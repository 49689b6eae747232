// The buddy allocator of contiguous KV memory.

#include "sim/serving/buddy_region.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "tests/support/draws.hpp"

namespace decodesim::tests {

TEST_CASE("a region that is no power of two begins as its largest aligned chunks") {
  BuddyRegion region(15'728);
  std::vector<std::int64_t> sizes;
  while (region.largest_free() > 0) {
    const auto chunk = region.allocate(region.largest_free());
    REQUIRE(chunk.has_value());
    sizes.push_back(chunk->size);
  }
  CHECK(sizes == std::vector<std::int64_t>{8192, 4096, 2048, 1024, 256, 64, 32, 16});
  CHECK(region.free() == 0);
}

TEST_CASE("twelve GiB of a 13B model's KV hold seven reservations of 2,048 tokens, and 8.85 % stay unused") {
  // 40 layers, hidden size 5120, two bytes a value: 2 * 40 * 5120 * 2 bytes a token (Kwon et al., SOSP 2023, section 6).
  const double slots = 12.0 * (std::int64_t{1} << 30) / (2 * 40 * 5120 * 2);
  BuddyRegion region(static_cast<std::int64_t>(slots));
  CHECK(region.slots() == 15'728);
  int taken = 0;
  while (region.allocate(2048)) ++taken;
  CHECK(taken == 7);
  CHECK((slots - 7 * 2048) / slots == doctest::Approx(0.0885).epsilon(0.001));
}

TEST_CASE("chunks are disjoint, aligned powers of two, and what is given back is joined again") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    CAPTURE(seed);
    Draws draws(seed);
    const std::int64_t slots = draws.between(0, 600);
    BuddyRegion region(slots);
    const std::int64_t largest_ever = region.largest_free();
    std::vector<int> owner(static_cast<std::size_t>(slots), 0);
    std::vector<BuddyRegion::Chunk> taken;
    for (int i = 1; i <= 200; ++i) {
      if (!taken.empty() && draws.chance(45)) {
        const auto place = taken.begin() + draws.between(0, static_cast<std::int64_t>(taken.size()) - 1);
        for (std::int64_t s = 0; s < place->size; ++s) owner[static_cast<std::size_t>(place->address + s)] = 0;
        region.release(*place);
        taken.erase(place);
      } else {
        const std::int64_t wanted = draws.between(1, 80);
        const std::int64_t largest = region.largest_free();
        const auto chunk = region.allocate(wanted);
        CHECK(chunk.has_value() == (power_of_two_for(wanted) <= largest));
        CHECK(region.could_hold(wanted) == (power_of_two_for(wanted) <= largest_ever));
        if (!chunk) continue;
        CHECK(chunk->size == power_of_two_for(wanted));
        CHECK(chunk->address % chunk->size == 0);
        REQUIRE(chunk->address + chunk->size <= slots);
        int overlaps = 0;
        for (std::int64_t s = 0; s < chunk->size; ++s) {
          overlaps += owner[static_cast<std::size_t>(chunk->address + s)];
          owner[static_cast<std::size_t>(chunk->address + s)] = i;
        }
        CHECK(overlaps == 0);
        taken.push_back(*chunk);
      }
      std::int64_t sum = region.free();
      for (const BuddyRegion::Chunk& chunk : taken) sum += chunk.size;
      CHECK(sum == slots);
    }
    for (const BuddyRegion::Chunk& chunk : taken) region.release(chunk);
    CHECK(region.free() == slots);
    CHECK(region.largest_free() == largest_ever);
  }
}

}  // namespace decodesim::tests
