// Host memory that keeps computed KV, in chunks.

#include "sim/serving/host_tier.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <utility>
#include <vector>

namespace decodesim::tests {

namespace {

constexpr std::int64_t block = 16;
constexpr std::int64_t chunk = 256;

std::unique_ptr<Sequence> sequence(std::int64_t tokens, std::int64_t shared, std::uint64_t key = 1,
                                   std::int64_t index = 0) {
  auto made = std::make_unique<Sequence>();
  made->request.index = index;
  made->request.input_tokens = tokens;
  made->request.content = {{key, shared}};
  return made;
}

HostTier tier_of(std::int64_t chunks) {
  return HostTier({.chunks = chunks, .chunk_blocks = chunk / block, .write = HostWrite::through}, block);
}

/// A step computes these tokens and ends.
void compute(HostTier& tier, Sequence& sequence, std::int64_t from, std::int64_t to) {
  tier.computed(sequence, from, to);
  tier.begin_pass();
}

}  // namespace

TEST_CASE("of a prompt that was stored whole, full chunks are found that leave a token to compute") {
  // Log lines of LMCache issue 1361: tokens of the prompt, tokens found.
  const std::vector<std::pair<std::int64_t, std::int64_t>> observed{{8891, 8704}, {8704, 8448}, {8525, 8448}};
  for (const auto& [tokens, found] : observed) {
    CAPTURE(tokens);
    HostTier tier = tier_of(100);
    auto first = sequence(tokens, tokens);
    compute(tier, *first, 0, tokens);
    auto again = sequence(tokens, tokens, 1, 1);
    CHECK(tier.find(*again, 0) == found);
  }
}

TEST_CASE("the chunk used longest ago makes room, and what stands behind a gap is not found") {
  HostTier tier = tier_of(2);
  auto x = sequence(3 * chunk + 1, 3 * chunk);
  compute(tier, *x, 0, 2 * chunk);
  CHECK(tier.find(*x, 0) == 2 * chunk);
  tier.use(*x, 0, chunk);  // a prompt that begins alike finds the first
  compute(tier, *x, 2 * chunk, 3 * chunk);
  CHECK(tier.find(*x, 0) == chunk);
  // On the device the second is there all the same, and the third follows on it.
  CHECK(tier.find(*x, 2 * chunk) == 3 * chunk);
}

TEST_CASE("a chunk is there when the step that fills it is over, and is stored once") {
  HostTier tier = tier_of(10);
  auto one = sequence(chunk + 1, chunk);
  auto other = sequence(chunk + 1, chunk, 1, 1);
  tier.computed(*one, 0, 200);
  CHECK(tier.blocks_stored() == 0);
  tier.begin_pass();
  tier.computed(*one, 200, 257);
  tier.computed(*other, 0, 257);
  CHECK(tier.blocks_stored() == chunk / block);
  CHECK(tier.find(*other, 0) == 0);
  tier.begin_pass();
  CHECK(tier.find(*other, 0) == chunk);
  tier.computed(*other, 0, 257);
  CHECK(tier.blocks_stored() == 0);
  tier.taken_back(*other);
  CHECK(tier.blocks_stored() == 0);
}

TEST_CASE("what a step gives to a victim and takes back is not stored") {
  HostTier tier = tier_of(10);
  auto victim = sequence(chunk + 1, chunk);
  tier.computed(*victim, 0, chunk);
  tier.taken_back(*victim);
  tier.begin_pass();
  CHECK(tier.find(*victim, 0) == 0);
}

TEST_CASE("the ends of a chain make room before its beginning") {
  HostTier tier = tier_of(3);
  auto x = sequence(3 * chunk + 1, 3 * chunk);
  auto y = sequence(2 * chunk + 1, 2 * chunk, 2, 1);
  compute(tier, *x, 0, 3 * chunk);
  compute(tier, *y, 0, 2 * chunk);
  CHECK(tier.find(*x, 0) == chunk);
  CHECK(tier.find(*y, 0) == 2 * chunk);
}

TEST_CASE("who does not read the cache finds nothing on the host, and of what the device has the host gives nothing") {
  HostTier tier = tier_of(10);
  auto x = sequence(2 * chunk + 1, 2 * chunk);
  compute(tier, *x, 0, 2 * chunk);
  CHECK(tier.find(*x, chunk + block) == 2 * chunk);
  CHECK(tier.find(*x, 2 * chunk) == 2 * chunk);
  x->request.no_prefix_read = true;
  CHECK(tier.find(*x, 0) == 0);
}

TEST_CASE("written on eviction, a block is stored as it is handed out, and only once") {
  HostTier tier({.chunks = 10, .chunk_blocks = 1, .write = HostWrite::on_evict}, block);
  auto x = sequence(2 * block + 1, 2 * block);
  tier.computed(*x, 0, 2 * block);
  CHECK(tier.blocks_stored() == 0);
  const std::uint64_t first = x->chain.at(0, x->request, block);
  tier.evicted(first);
  tier.evicted(first);
  CHECK(tier.blocks_stored() == 1);
  CHECK(tier.find(*x, 0) == block);
}

}  // namespace decodesim::tests
