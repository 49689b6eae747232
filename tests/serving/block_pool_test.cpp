// The block pool against a queue and sets that know nothing of links.

#include "sim/serving/block_pool.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <deque>
#include <set>
#include <vector>

#include "tests/support/draws.hpp"

namespace decodesim::tests {

TEST_CASE("a new pool hands out its blocks in increasing order, from 1") {
  BlockPool pool(3);
  BlockTable table;
  REQUIRE(pool.allocate(3, table));
  CHECK(table == BlockTable{1, 2, 3});
  CHECK(pool.free() == 0);
}

TEST_CASE("an allocation that does not fit changes nothing") {
  BlockPool pool(3);
  BlockTable table;
  REQUIRE(pool.allocate(1, table));
  CHECK_FALSE(pool.allocate(3, table));
  CHECK(table == BlockTable{1});
  CHECK(pool.free() == 2);
  REQUIRE(pool.allocate(2, table));
  CHECK(table == BlockTable{1, 2, 3});
}

TEST_CASE("a released table comes back from its last block to its first, behind what was free before") {
  BlockPool pool(5);
  BlockTable first;
  REQUIRE(pool.allocate(3, first));
  pool.release(first);
  CHECK(first.empty());
  BlockTable second;
  REQUIRE(pool.allocate(5, second));
  CHECK(second == BlockTable{4, 5, 3, 2, 1});
}

TEST_CASE("an empty pool serves only those who want nothing") {
  BlockPool pool(0);
  BlockTable table;
  CHECK(pool.allocate(0, table));
  CHECK_FALSE(pool.allocate(1, table));
  CHECK(pool.total() == 0);
}

TEST_CASE("over any sequence of calls the pool does what a queue of ids does") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    CAPTURE(seed);
    Draws draws(seed);
    const std::int64_t blocks = draws.between(0, 40);
    BlockPool pool(blocks);
    std::deque<BlockId> queue;
    for (std::int64_t id = 1; id <= blocks; ++id) queue.push_back(static_cast<BlockId>(id));
    std::vector<BlockTable> tables(static_cast<std::size_t>(draws.between(1, 8)));
    std::vector<BlockTable> expected(tables.size());

    for (int call = 0; call < 200; ++call) {
      const auto who = static_cast<std::size_t>(draws.between(0, static_cast<std::int64_t>(tables.size()) - 1));
      if (draws.chance(60)) {
        const std::int64_t count = draws.between(0, 6);
        const bool fits = count <= static_cast<std::int64_t>(queue.size());
        REQUIRE(pool.allocate(count, tables[who]) == fits);
        for (std::int64_t i = 0; fits && i < count; ++i) {
          expected[who].push_back(queue.front());
          queue.pop_front();
        }
      } else {
        pool.release(tables[who]);
        queue.insert(queue.end(), expected[who].rbegin(), expected[who].rend());
        expected[who].clear();
      }
      REQUIRE(tables == expected);

      std::set<BlockId> held;
      std::size_t holdings = 0;
      for (const BlockTable& table : tables) {
        held.insert(table.begin(), table.end());
        holdings += table.size();
      }
      REQUIRE(held.size() == holdings);  // no block is in two tables, or twice in one
      REQUIRE(pool.used() == static_cast<std::int64_t>(holdings));
      REQUIRE(pool.free() + pool.used() == blocks);
      REQUIRE(pool.total() == blocks);
    }
  }
}

}  // namespace decodesim::tests
