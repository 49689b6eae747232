// Cases of the tests of vLLM and of peer simulators that are about the block pool and the prefix cache.
//
// Not played here: v1-prefix-08 and the second half of v1-prefix-12 reset the cache, which no run does; v1-prefix-13 has
// pools of layers with windows, and blocks here are sized as if every layer saw all.

#include <doctest/doctest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/serving/paged_memory.hpp"
#include "sim/serving/policy_factories.hpp"
#include "tests/support/peer_cases.hpp"

namespace decodesim::tests {

namespace {

using nlohmann::json;

/// A pool and sequences that use it as an engine would, step by step.
struct Pool {
  PagedMemory memory;
  std::int64_t block_size;
  std::int64_t next_index = 0;

  Pool(std::int64_t blocks, std::int64_t size) : memory(blocks, size, {.on = true}), block_size(size) {}

  /// A sequence of `tokens` tokens, of which the first `shared` are those of run `key`.
  std::unique_ptr<Sequence> sequence(std::int64_t tokens, std::int64_t shared = 0, std::uint64_t key = 1) {
    auto made = std::make_unique<Sequence>();
    made->request.index = next_index++;
    made->request.input_tokens = tokens;
    if (shared > 0) made->request.content = {{key, shared}};
    return made;
  }
  /// Would it be admitted with all its tokens? Asks the admission test that vllm-v1 has.
  bool admits(Sequence& sequence) {
    const PrefixHit hit = memory.find_prefix(sequence);
    ServerConfig config;
    config.block_size = block_size;
    config.max_model_len = 1'000'000;
    auto copy = std::make_unique<Counts>(memory.total(), memory.free());
    const ReplicaState state(config, std::move(copy), nullptr);
    return make_whole_sequence_admission(config)->admits(ReplicaView(state), sequence, hit.blocks * block_size,
                                                         sequence.known() - hit.blocks * block_size,
                                                         hit.unreferenced - hit.blocks);
  }
  /// Admits it whole, and returns the blocks that it found.
  std::int64_t admit(Sequence& sequence) {
    const PrefixHit hit = memory.find_prefix(sequence);
    memory.take_prefix(sequence, hit.blocks);
    REQUIRE(memory.grow(sequence, sequence.known()));
    memory.register_full(sequence, hit.blocks * block_size, sequence.known());
    return hit.blocks;
  }
  void free(Sequence& sequence) { memory.release(sequence, Released::finished); }
  [[nodiscard]] MemoryFacts facts() const {
    MemoryFacts facts;
    memory.describe(facts);
    return facts;
  }
  [[nodiscard]] std::vector<std::uint32_t> queue() const { return facts().free_queue; }
  [[nodiscard]] std::int64_t hashed() const { return static_cast<std::int64_t>(facts().hashed_blocks.size()); }

 private:
  /// A memory that only tells how much of it is free.
  struct Counts : KvMemory {
    Counts(std::int64_t all, std::int64_t left) : total_(all), free_(left) {}
    [[nodiscard]] std::int64_t total() const override { return total_; }
    [[nodiscard]] std::int64_t free() const override { return free_; }
    void release(Sequence&, Released) override {}
    std::int64_t total_;
    std::int64_t free_;
  };
};

}  // namespace

TEST_CASE("peers: freed blocks queue up by release with tails first, those without a hash ahead (v1-prefix-02)") {
  const auto peer = peer_case("v1-prefix-02");
  if (!peer) return;
  const json& expected = peer->at("expected");
  Pool pool(peer->at("inputs").at("blocks"), peer->at("inputs").at("block_size"));
  auto r0 = pool.sequence(87, 87);
  auto r1 = pool.sequence(48);
  pool.admit(*r0);
  pool.admit(*r1);
  CHECK(static_cast<std::int64_t>(r0->blocks.size()) == expected.at("r0_blocks"));
  CHECK(static_cast<std::int64_t>(r1->blocks.size()) == expected.at("r1_blocks"));
  CHECK(pool.memory.free() == expected.at("free"));
  pool.free(*r0);
  CHECK(pool.queue() == expected.at("queue_after_r0").get<std::vector<std::uint32_t>>());
  pool.free(*r1);
  CHECK(pool.queue() == expected.at("queue_after_r1").get<std::vector<std::uint32_t>>());
  auto r2 = pool.sequence(35, 32);
  pool.admit(*r2);
  BlockTable table = expected.at("r2").at("hit_blocks").get<BlockTable>();
  for (const json& block : expected.at("r2").at("new_blocks")) table.push_back(block);
  CHECK(r2->blocks == table);
  CHECK(pool.memory.free() == expected.at("r2").at("free"));
}

TEST_CASE("peers: a block that decoding fills gets its hash, and one that it only began gets none (v1-prefix-03)") {
  const auto peer = peer_case("v1-prefix-03");
  if (!peer) return;
  Pool pool(peer->at("inputs").at("blocks"), peer->at("inputs").at("block_size"));
  auto sequence = pool.sequence(55);
  pool.admit(*sequence);
  for (std::size_t i = 0; i < 2; ++i) {
    const std::int64_t before = sequence->known();
    const auto blocks = static_cast<std::int64_t>(sequence->blocks.size());
    sequence->generated += peer->at("inputs").at("appends").at(i).get<std::int64_t>();
    REQUIRE(pool.memory.grow(*sequence, sequence->known()));
    pool.memory.register_full(*sequence, before, sequence->known());
    CHECK(static_cast<std::int64_t>(sequence->blocks.size()) - blocks == peer->at("expected").at("new_blocks").at(i));
  }
  CHECK(sequence->blocks == BlockTable{1, 2, 3, 4, 5});
  CHECK(pool.facts().hashed_blocks == BlockTable{1, 2, 3, 4});
}

TEST_CASE("peers: a full hit computes its last block again and is not handed the block that it hit (v1-prefix-05)") {
  const auto peer = peer_case("v1-prefix-05");
  if (!peer) return;
  Pool pool(peer->at("inputs").at("blocks"), peer->at("inputs").at("block_size"));
  auto r0 = pool.sequence(32, 32);
  pool.admit(*r0);
  pool.free(*r0);
  auto r1 = pool.sequence(32, 32);
  CHECK(pool.admit(*r1) * pool.block_size == peer->at("expected").at("hit_tokens"));
  CHECK(r1->blocks[0] == peer->at("expected").at("hit").at(0));
  CHECK(r1->blocks[1] == peer->at("expected").at("new").at(0));
}

TEST_CASE(
    "peers: hits among the free blocks count as room that is needed, and a refusal changes nothing (v1-prefix-07)") {
  const auto peer = peer_case("v1-prefix-07");
  if (!peer) return;
  const json& expected = peer->at("expected");
  Pool pool(peer->at("inputs").at("blocks"), peer->at("inputs").at("block_size"));
  auto r0 = pool.sequence(48, 48);
  auto r1 = pool.sequence(96, 96);
  auto r2 = pool.sequence(32);
  pool.admit(*r0);
  pool.admit(*r1);
  pool.free(*r1);
  pool.admit(*r2);
  CHECK(pool.memory.free() == expected.at("free_before_r3"));
  auto r3 = pool.sequence(144, 96);
  const std::vector<std::uint32_t> queue = pool.queue();
  const PrefixHit hit = pool.memory.find_prefix(*r3);
  CHECK(hit.blocks == expected.at("r3").at("hit_blocks"));
  CHECK(hit.unreferenced == expected.at("r3").at("unreferenced_hits"));
  CHECK(pool.memory.blocks_for(r3->known()) - hit.blocks == expected.at("r3").at("new_needed"));
  CHECK_FALSE(pool.admits(*r3));
  CHECK(pool.queue() == queue);
  pool.free(*r2);
  CHECK(pool.admits(*r3));
}

TEST_CASE("peers: of two blocks with one hash the second is found when the first is gone (v1-prefix-10, dyn-v1-08)") {
  const auto peer = peer_case("v1-prefix-10");
  const auto twice = peer_case("dyn-v1-08");
  if (!peer || !twice) return;
  BlockPool pool(twice->at("inputs").at("blocks"));
  BlockTable first;
  BlockTable second;
  REQUIRE(pool.allocate(1, first));
  pool.register_hash(first[0], 7);
  REQUIRE(pool.allocate(1, second));
  pool.register_hash(second[0], 7);
  CHECK(pool.used() == twice->at("expected").at("blocks_used"));
  CHECK(pool.find(7) == first[0]);
  const BlockId other = second[0];
  pool.release(first);
  REQUIRE(pool.allocate(1, first));
  CHECK(pool.find(7) == other);
  pool.release(second);
  REQUIRE(pool.allocate(1, second));
  CHECK(pool.find(7) == 0);
}

TEST_CASE("peers: every full block is stored once (v1-prefix-12)") {
  const auto peer = peer_case("v1-prefix-12");
  if (!peer) return;
  const json& stored = peer->at("expected").at("stored_events");
  for (std::size_t i = 0; i < stored.size(); ++i) {
    Pool pool(16, 16);
    const std::int64_t blocks = peer->at("inputs").at("blocks_to_cache").at(i);
    pool.admit(*pool.sequence(blocks * 16));
    CHECK(pool.hashed() == stored.at(i));
  }
}

TEST_CASE("peers: what a request cached stays when it is finished, unused (llmd-01)") {
  const auto peer = peer_case("llmd-01");
  if (!peer) return;
  const json& expected = peer->at("expected");
  Pool pool(peer->at("inputs").at("blocks"), 4);
  auto one = pool.sequence(8);
  pool.admit(*one);
  CHECK(pool.hashed() == expected.at("active").at("total"));
  CHECK(pool.hashed() - pool.memory.total() + pool.memory.free() == expected.at("active").at("unused"));
  pool.free(*one);
  CHECK(pool.hashed() == expected.at("finished").at("total"));
  CHECK(pool.hashed() - pool.memory.total() + pool.memory.free() == expected.at("finished").at("unused"));
}

TEST_CASE("peers: two requests share the block that both begin with (llmd-02)") {
  const auto peer = peer_case("llmd-02");
  if (!peer) return;
  const json& expected = peer->at("expected");
  Pool pool(peer->at("inputs").at("blocks"), 4);
  auto one = pool.sequence(8, 4);
  auto other = pool.sequence(8, 4);
  pool.admit(*one);
  pool.admit(*other);
  CHECK(pool.hashed() == expected.at("total"));
  CHECK(one->blocks[0] == other->blocks[0]);
  CHECK(pool.memory.total() - pool.memory.free() == expected.at("total"));
  pool.free(*one);
  // The shared one is still held.
  CHECK(pool.memory.total() - pool.memory.free() == 2);
  CHECK(expected.at("after_first_finishes").at("1") == 1);
}

TEST_CASE("peers: equal tokens under another key are another content (llmd-04)") {
  const auto peer = peer_case("llmd-04");
  if (!peer) return;
  Pool pool(10, 4);
  std::int64_t hits = 0;
  for (const char* model : {"one", "other"}) {
    auto sequence = pool.sequence(8, 8);
    sequence->request.cache_salt = model;
    hits += pool.admit(*sequence);
  }
  CHECK(pool.hashed() == peer->at("expected").at("total"));
  CHECK(hits == peer->at("expected").at("hits_across"));
}

TEST_CASE("peers: a chain loses its end before its beginning (dyn-v1-10)") {
  const auto peer = peer_case("dyn-v1-10");
  if (!peer) return;
  Pool pool(peer->at("inputs").at("blocks"), 4);
  auto chain = pool.sequence(8, 8);
  pool.admit(*chain);
  pool.free(*chain);
  auto fresh = pool.sequence(4);
  pool.admit(*fresh);
  CHECK(fresh->blocks == BlockTable{2});
  CHECK(pool.facts().hashed_blocks == BlockTable{1, 2});  // the fresh one has a hash of its own by now
  CHECK(pool.memory.find_prefix(*pool.sequence(9, 8)).blocks == 1);
}

TEST_CASE("peers: an eviction shortens what others find (dyn-v1-11)") {
  const auto peer = peer_case("dyn-v1-11");
  if (!peer) return;
  Pool pool(peer->at("inputs").at("blocks"), peer->at("inputs").at("block_size"));
  auto chain = pool.sequence(8, 8);
  pool.admit(*chain);
  pool.free(*chain);
  auto fresh = pool.sequence(8);
  pool.admit(*fresh);
  CHECK(pool.memory.cached_blocks_evicted() == peer->at("expected").at("evicted"));
  CHECK(pool.memory.find_prefix(*pool.sequence(9, 8)).blocks == peer->at("expected").at("overlap_after"));
}

TEST_CASE("peers: a hit on a free block cannot be recycled underneath it (il-09, isim-06)") {
  for (const std::string id : {"il-09", "isim-06"}) {
    const auto peer = peer_case(id);
    if (!peer) return;
    const std::int64_t blocks = peer->at("inputs").at("blocks");
    Pool pool(blocks, 2);
    auto cached = pool.sequence(2 * blocks, 2 * blocks);
    pool.admit(*cached);
    pool.free(*cached);
    // All but one of its blocks are hit; with the two that it needs beside them it is one too long.
    auto longer = pool.sequence(2 * blocks + 2, 2 * (blocks - 1));
    const std::vector<std::uint32_t> queue = pool.queue();
    CHECK(pool.memory.find_prefix(*longer).unreferenced == blocks - 1);
    CHECK_FALSE(pool.admits(*longer));
    CHECK(pool.queue() == queue);
    CHECK(pool.hashed() == blocks);
    CHECK(pool.admits(*pool.sequence(2 * blocks, 2 * (blocks - 1))));
  }
}

TEST_CASE("peers: the room left in the last block counts before free blocks are asked for (isim-01, isim-02)") {
  const auto peer = peer_case("isim-01");
  const auto first = peer_case("isim-02");
  if (!peer || !first) return;
  for (std::size_t i = 0; i < peer->at("inputs").at("cases").size(); ++i) {
    CAPTURE(i);
    const json& one = peer->at("inputs").at("cases").at(i);
    PagedMemory memory(one.at("blocks"), one.at("block_size"));
    Sequence sequence;
    const std::int64_t have = one.at("have");
    REQUIRE(memory.grow(sequence, have));
    CHECK(memory.grow(sequence, have + one.at("add").get<std::int64_t>()) == peer->at("expected").at("ok").at(i));
    CHECK(memory.total() - memory.free() == peer->at("expected").at("used_after").at(i));
  }
  for (std::size_t i = 0; i < first->at("inputs").at("blocks").size(); ++i) {
    PagedMemory memory(first->at("inputs").at("blocks").at(i), first->at("inputs").at("block_size"));
    Sequence sequence;
    CHECK(memory.grow(sequence, first->at("inputs").at("add")) == first->at("expected").at("ok").at(i));
  }
}

TEST_CASE("peers: who cannot grow keeps what it has, and grows when room is made (isim-04, isim-07)") {
  const auto peer = peer_case("isim-04");
  const auto first = peer_case("isim-07");
  if (!peer || !first) return;
  PagedMemory memory(3, 4);
  Sequence sequence;
  Sequence other;
  REQUIRE(memory.grow(sequence, 8));
  REQUIRE(memory.grow(other, 4));
  CHECK_FALSE(memory.grow(sequence, 9));
  CHECK(sequence.blocks.size() == 2);
  memory.release(other, Released::evicted);
  CHECK(memory.grow(sequence, 9));
  CHECK(sequence.blocks.size() == 3);

  for (std::size_t i = 0; i < 2; ++i) {
    PagedMemory nearly_full(1 + first->at("inputs").at("free").at(i).get<std::int64_t>(), 4);
    Sequence holder;
    Sequence without_blocks;
    REQUIRE(nearly_full.grow(holder, 4));
    CHECK(nearly_full.grow(without_blocks, 1) == first->at("expected").at("ok").at(i));
  }
}

}  // namespace decodesim::tests
