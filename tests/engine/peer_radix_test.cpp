// Cases of SGLang's tests of its radix cache, by their ids in peer_tests.json.

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/serving/radix_tree.hpp"
#include "tests/support/peer_cases.hpp"

namespace decodesim::tests {

namespace {

using nlohmann::json;

/// Each id is a run of one token, so that equal ids are equal tokens.
TokenString string_of(const json& ids) {
  TokenString string;
  for (const json& id : ids) string.push_back({id.get<std::uint64_t>(), 0, 1});
  return string;
}

std::int64_t size(const json& ids) { return static_cast<std::int64_t>(ids.size()); }

}  // namespace

TEST_CASE("radix-01: what two strings share is in the tree once") {
  const auto peer = peer_case("radix-01");
  if (!peer) return;
  RadixTree tree(peer->at("inputs").at("page"));
  std::vector<std::int64_t> sizes;
  for (const json& ids : peer->at("inputs").at("insert")) {
    tree.insert(string_of(ids), size(ids));
    sizes.push_back(tree.size());
  }
  CHECK(sizes == peer->at("expected").at("sizes").get<std::vector<std::int64_t>>());
  const json both = {1, 2};
  CHECK(tree.match(string_of(both), 2).tokens == peer->at("expected").at("match_1_2").get<std::int64_t>());
}

TEST_CASE("radix-03: a lock protects, and its end makes evictable again") {
  const auto peer = peer_case("radix-03");
  if (!peer) return;
  RadixTree tree(1);
  const json& ids = peer->at("inputs").at("insert")[0];
  tree.insert(string_of(ids), size(ids));
  const RadixTree::Match found = tree.match(string_of(ids), size(ids));
  std::vector<std::int64_t> evictable{tree.evictable()};
  std::vector<std::int64_t> locked{tree.locked()};
  for (const json& operation : peer->at("inputs").at("ops")) {
    operation == "lock" ? tree.lock(found.node) : tree.unlock(found.node);
    evictable.push_back(tree.evictable());
    locked.push_back(tree.locked());
  }
  CHECK(evictable == peer->at("expected").at("evictable").get<std::vector<std::int64_t>>());
  CHECK(locked == peer->at("expected").at("protected").get<std::vector<std::int64_t>>());
}

TEST_CASE("radix-05: only whole pages are kept") {
  const auto peer = peer_case("radix-05");
  if (!peer) return;
  const json& cases = peer->at("inputs").at("cases");
  for (std::size_t i = 0; i < cases.size(); ++i) {
    RadixTree tree(cases[i].at("page"));
    const std::int64_t length = cases[i].at("length");
    tree.insert({{1, 0, length}}, length);
    CHECK(tree.size() == peer->at("expected").at("stored")[i].get<std::int64_t>());
  }
}

TEST_CASE("radix-06: lookups split edges and never change what is kept") {
  const auto peer = peer_case("radix-06");
  if (!peer) return;
  RadixTree tree(1);
  const json& inserted = peer->at("inputs").at("insert");
  for (const json& ids : inserted) tree.insert(string_of(ids), size(ids));
  CHECK(tree.size() == peer->at("expected").at("total").get<std::int64_t>());
  // "first 6", "whole 8 tokens", "[1,2,9,10]", "[1..8] again".
  const std::vector<std::pair<json, std::int64_t>> queries{
      {inserted[0], 6}, {inserted[0], 8}, {inserted[1], 4}, {inserted[0], 8}};
  std::vector<std::int64_t> matches;
  for (const auto& [ids, limit] : queries) matches.push_back(tree.match(string_of(ids), limit).tokens);
  CHECK(matches == peer->at("expected").at("matches").get<std::vector<std::int64_t>>());
  CHECK(tree.size() == peer->at("expected").at("total_after_queries").get<std::int64_t>());
}

TEST_CASE("radix-08: the same page at another place is another page") {
  const auto peer = peer_case("radix-08");
  if (!peer) return;
  REQUIRE(peer->at("expected").at("same_page_different_position") == "different hash");
  RadixTree tree(peer->at("inputs").at("page"));
  const json first = json::parse(peer->at("inputs").at("keys")[0].get<std::string>());
  const json second = json::parse(peer->at("inputs").at("keys")[1].get<std::string>());
  tree.insert(string_of(first), size(first));
  CHECK(tree.match(string_of(second), size(second)).tokens == 0);
  tree.insert(string_of(second), size(second));
  CHECK(tree.size() == size(first) + size(second));
}

}  // namespace decodesim::tests
