// The radix tree against a plain set of token strings, and against the plain tree.

#include "sim/serving/radix_tree.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/support/draws.hpp"
#include "tests/support/plain_radix.hpp"

namespace decodesim::tests {

namespace {

/// A request whose prompt is made of short runs of a few keys, so that many begin alike and part within a page.
Request drawn_request(Draws& draws, std::int64_t index) {
  Request request;
  request.index = index;
  const std::int64_t runs = draws.between(0, 5);
  for (std::int64_t i = 0; i < runs; ++i) {
    const std::int64_t tokens = draws.between(1, 7);
    request.content.push_back({static_cast<std::uint64_t>(draws.between(1, 3)), tokens});
    request.input_tokens += tokens;
  }
  request.input_tokens += draws.between(1, 6);
  if (draws.chance(20)) request.cache_salt = "salt";
  return request;
}

}  // namespace

TEST_CASE("a token string says which tokens two requests have in common") {
  Draws draws(7);
  for (int round = 0; round < 2000; ++round) {
    const Request one = drawn_request(draws, 1);
    const Request other = drawn_request(draws, draws.chance(20) ? 1 : 2);
    const std::int64_t from = draws.between(0, one.input_tokens);
    const std::int64_t back = draws.between(0, other.input_tokens);
    const PlainTokens left = salted_tokens(one, one.input_tokens);
    const PlainTokens right = salted_tokens(other, other.input_tokens);
    std::int64_t same = 0;
    while (from + same < one.input_tokens && back + same < other.input_tokens &&
           left[static_cast<std::size_t>(from + same)] == right[static_cast<std::size_t>(back + same)])
      ++same;
    CHECK(common_tokens(tokens_of(one, one.input_tokens), from, tokens_of(other, other.input_tokens), back) == same);
  }
}

TEST_CASE("without evictions a lookup finds the longest beginning that any inserted string shares") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Draws draws(seed);
    const std::int64_t page = draws.pick({1, 1, 2, 4});
    RadixTree tree(page);
    std::vector<PlainTokens> inserted;
    std::set<PlainTokens> pages;  // every beginning of whole pages that is in the tree
    for (std::int64_t index = 0; index < 40; ++index) {
      const Request request = drawn_request(draws, index % 7);
      const std::int64_t tokens = draws.between(0, request.input_tokens);
      const PlainTokens plain = salted_tokens(request, tokens);
      std::int64_t expected = 0;
      for (const PlainTokens& other : inserted) {
        std::int64_t same = 0;
        const auto most = static_cast<std::int64_t>(std::min(other.size(), plain.size()));
        while (same < most && other[static_cast<std::size_t>(same)] == plain[static_cast<std::size_t>(same)]) ++same;
        expected = std::max(expected, same / page * page);
      }
      const TokenString string = tokens_of(request, tokens);
      CHECK(tree.match(string, tokens).tokens == expected);
      if (draws.chance(50)) continue;
      CHECK(tree.insert(string, tokens) == expected);
      PlainTokens whole = plain;
      whole.resize(static_cast<std::size_t>(tokens / page * page));
      for (auto end = whole.begin(); end != whole.end();) pages.insert({whole.begin(), end += page});
      inserted.push_back(whole);
      CHECK(tree.size() == static_cast<std::int64_t>(pages.size()) * page);
    }
  }
}

TEST_CASE("lookups, insertions, locks and evictions leave what the plain tree has") {
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    Draws draws(seed * 31);
    const std::int64_t page = draws.pick({1, 1, 2, 3});
    RadixTree tree(page);
    PlainRadix plain(page);
    std::vector<std::pair<RadixTree::Node*, PlainRadix::Node*>> locked;
    for (int step = 0; step < 120; ++step) {
      CAPTURE(seed);
      CAPTURE(step);
      const Request request = drawn_request(draws, draws.between(0, 4));
      const std::int64_t tokens = request.input_tokens;
      switch (draws.between(0, 4)) {
        case 0:
          REQUIRE(tree.insert(tokens_of(request, tokens), tokens) == plain.insert(salted_tokens(request, tokens)));
          break;
        case 1: {
          const RadixTree::Match found = tree.match(tokens_of(request, tokens), tokens);
          const PlainRadix::Match expected = plain.match(salted_tokens(request, tokens));
          REQUIRE(found.tokens == expected.tokens);
          tree.lock(found.node);
          plain.lock(expected.node);
          locked.emplace_back(found.node, expected.node);
          break;
        }
        case 2:
          if (locked.empty()) break;
          tree.unlock(locked.back().first);
          plain.unlock(locked.back().second);
          locked.pop_back();
          break;
        case 3:
          REQUIRE(tree.match(tokens_of(request, tokens), tokens).tokens ==
                  plain.match(salted_tokens(request, tokens)).tokens);
          break;
        default: {
          const std::int64_t wanted = draws.between(0, 12);
          REQUIRE(tree.evict(wanted) == plain.evict(wanted));
        }
      }
      REQUIRE(tree.size() == plain.size());
      REQUIRE(tree.evictable() == plain.evictable());
      REQUIRE(tree.evictable() + tree.locked() == tree.size());
    }
    for (const auto& [node, other] : locked) tree.unlock(node);
    CHECK(tree.evictable() == tree.size());
    const std::int64_t all = tree.size();
    CHECK(tree.evict(1'000'000) == all);
    CHECK(tree.size() == 0);
  }
}

}  // namespace decodesim::tests
