// Blocks that are found by their hash, against maps and lists that know no hash tables and no links.

#include <doctest/doctest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <vector>

#include "sim/serving/block_pool.hpp"
#include "sim/serving/prefix_chain.hpp"
#include "tests/support/draws.hpp"
#include "tests/support/plain_prefix_pool.hpp"

namespace decodesim::tests {

namespace {

Request random_request(Draws& draws, std::int64_t index) {
  Request request;
  request.index = index;
  request.input_tokens = 40;
  if (draws.chance(20)) request.cache_salt = draws.chance(50) ? "a" : "b";
  std::int64_t left = draws.between(0, 40);
  while (left > 0) {
    const std::int64_t tokens = std::min(left, draws.between(1, 9));
    request.content.push_back({static_cast<std::uint64_t>(draws.between(0, 1)), tokens});
    left -= tokens;
  }
  return request;
}

/// The pool as a list of free blocks and lists of blocks by hash.
struct Model {
  UncachedFree uncached;
  std::deque<BlockId> queue;
  std::map<BlockId, std::int64_t> references;
  std::map<BlockId, std::uint64_t> hash_of;
  std::map<std::uint64_t, std::vector<BlockId>> blocks_of;
  std::int64_t evicted = 0;

  void take(std::int64_t count, BlockTable& table) {
    for (std::int64_t i = 0; i < count; ++i) {
      const BlockId block = queue.front();
      queue.pop_front();
      if (hash_of.count(block) > 0) {
        std::erase(blocks_of[hash_of[block]], block);
        hash_of.erase(block);
        ++evicted;
      }
      references[block] = 1;
      table.push_back(block);
    }
  }
  void share(BlockId block, BlockTable& table) {
    if (references[block]++ == 0) queue.erase(std::find(queue.begin(), queue.end(), block));
    table.push_back(block);
  }
  void release(BlockTable& table) {
    std::vector<BlockId> to_head;
    for (auto block = table.rbegin(); block != table.rend(); ++block) {
      if (--references[*block] > 0) continue;
      const bool head = uncached == UncachedFree::to_head && hash_of.count(*block) == 0;
      if (head) to_head.push_back(*block);
      if (!head) queue.push_back(*block);
    }
    queue.insert(queue.begin(), to_head.begin(), to_head.end());
    table.clear();
  }
};

void check_same(const BlockPool& pool, Model& model) {
  const std::vector<BlockId> queue = pool.free_queue();
  REQUIRE(queue == std::vector<BlockId>(model.queue.begin(), model.queue.end()));
  REQUIRE(pool.free() == static_cast<std::int64_t>(model.queue.size()));
  REQUIRE(pool.hashes_evicted() == model.evicted);
  std::vector<BlockId> hashed;
  for (const auto& [block, hash] : model.hash_of) hashed.push_back(block);
  REQUIRE(pool.hashed() == hashed);
  for (const auto& [hash, blocks] : model.blocks_of) REQUIRE(pool.find(hash) == (blocks.empty() ? 0 : blocks.front()));
}

}  // namespace

TEST_CASE("over any sequence of calls hashes are found, shared and lost as in a model of lists") {
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    CAPTURE(seed);
    Draws draws(seed);
    const std::int64_t blocks = draws.between(1, 30);
    const UncachedFree uncached = draws.chance(50) ? UncachedFree::to_head : UncachedFree::to_tail;
    BlockPool pool(blocks, uncached);
    Model model{uncached, {}, {}, {}, {}, 0};
    for (std::int64_t id = 1; id <= blocks; ++id) model.queue.push_back(static_cast<BlockId>(id));
    // Hashes that differ in their high bits only fall into one bucket.
    const std::int64_t alphabet = draws.between(1, 12);
    const bool one_bucket = draws.chance(30);
    const auto some_hash = [&] {
      return (1 + static_cast<std::uint64_t>(draws.between(0, alphabet))) << (one_bucket ? 40 : 0);
    };
    std::vector<BlockTable> tables(static_cast<std::size_t>(draws.between(1, 6)));
    std::vector<BlockTable> expected(tables.size());
    for (int call = 0; call < 150; ++call) {
      const auto who = static_cast<std::size_t>(draws.between(0, static_cast<std::int64_t>(tables.size()) - 1));
      switch (draws.between(0, 3)) {
        case 0: {
          const std::int64_t count = draws.between(0, 5);
          const bool fits = count <= static_cast<std::int64_t>(model.queue.size());
          REQUIRE(pool.allocate(count, tables[who]) == fits);
          if (fits) model.take(count, expected[who]);
          break;
        }
        case 1:
          pool.release(tables[who]);
          model.release(expected[who]);
          break;
        case 2: {
          const std::uint64_t hash = some_hash();
          const BlockId found = pool.find(hash);
          if (found == 0) break;
          pool.share(found, tables[who]);
          model.share(found, expected[who]);
          break;
        }
        default:
          for (const BlockId block : tables[who]) {
            if (pool.has_hash(block) || draws.chance(30)) continue;
            const std::uint64_t hash = some_hash();
            pool.register_hash(block, hash);
            model.hash_of[block] = hash;
            model.blocks_of[hash].push_back(block);
          }
      }
      REQUIRE(tables == expected);
      check_same(pool, model);
    }
  }
}

TEST_CASE("two blocks have one hash exactly where their tokens, all tokens before them and the salt are the same") {
  std::int64_t same = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Draws draws(seed);
    const std::int64_t block_size = draws.between(1, 9);
    std::map<std::uint64_t, std::pair<std::string, std::vector<PlainToken>>> seen;
    std::set<std::pair<std::string, std::vector<PlainToken>>> different;
    for (std::int64_t index = 0; index < 12; ++index) {
      const Request request = random_request(draws, index);
      PrefixChain chain;
      for (std::int64_t block = 0; block < 60 / block_size; ++block) {
        const std::vector<PlainToken> tokens = plain_tokens(request, (block + 1) * block_size);
        const std::uint64_t hash = chain.at(static_cast<std::size_t>(block), request, block_size);
        REQUIRE(hash != 0);
        different.insert({request.cache_salt.text(), tokens});
        const auto [known, fresh] = seen.emplace(hash, std::pair(request.cache_salt.text(), tokens));
        if (!fresh) REQUIRE(known->second == std::pair(request.cache_salt.text(), tokens));
        same += fresh ? 0 : 1;
      }
    }
    REQUIRE(seen.size() == different.size());
  }
  CHECK(same > 1000);
}

TEST_CASE("a chain may be asked for any block first, and serves another request once it was cleared") {
  Request one;
  one.content = {{7, 10}, {8, 3}};
  Request other;
  other.index = 1;
  other.content = {{7, 10}};
  PrefixChain in_order;
  std::vector<std::uint64_t> hashes;
  for (std::size_t block = 0; block < 6; ++block) hashes.push_back(in_order.at(block, one, 4));
  PrefixChain chain;
  CHECK(chain.at(5, one, 4) == hashes[5]);
  CHECK(chain.at(0, one, 4) == hashes[0]);
  chain.clear();
  CHECK(chain.at(1, other, 4) == hashes[1]);
  CHECK(chain.at(2, other, 4) != hashes[2]);
}

}  // namespace decodesim::tests
