// The memory in which full blocks with the same tokens are one block.

#include "sim/serving/merged_memory.hpp"

#include <doctest/doctest.h>

namespace decodesim::tests {

namespace {

/// Of `input` tokens, the first `shared` of which are those of the run 1.
Sequence sequence(std::int64_t index, std::int64_t input, std::int64_t shared) {
  Sequence made;
  made.request.index = index;
  made.request.input_tokens = input;
  if (shared > 0) made.request.content = {{1, shared}};
  return made;
}

}  // namespace

TEST_CASE("equal full blocks are one, found only when computed, and all tokens but the last can be") {
  MergedMemory memory(10, 4, {.on = true});
  Sequence a = sequence(0, 10, 8);
  Sequence b = sequence(1, 10, 8);
  Sequence c = sequence(2, 8, 8);
  REQUIRE(memory.take_known(a));
  CHECK(memory.beginning_of(b).shared == 2);
  CHECK(memory.beginning_of(b).found == 0);
  REQUIRE(memory.take_known(b));
  CHECK(memory.free() == 6);
  CHECK(a.blocks[0] == b.blocks[0]);
  CHECK(a.blocks[1] == b.blocks[1]);
  CHECK(a.blocks[2] != b.blocks[2]);

  memory.computed(a, 4);
  CHECK(memory.beginning_of(c).found == 4);
  memory.computed(a, 10);
  CHECK(memory.beginning_of(c).found == 7);
  c.request.no_prefix_read = true;
  CHECK(memory.beginning_of(c).found == 0);
  CHECK(memory.beginning_of(c).shared == 2);
}

TEST_CASE("blocks that nobody computed are found by nobody once they are given back") {
  MergedMemory memory(10, 4, {.on = true});
  Sequence a = sequence(0, 12, 12);
  Sequence b = sequence(1, 8, 8);
  REQUIRE(memory.take_known(a));
  REQUIRE(memory.take_known(b));
  memory.computed(a, 4);
  memory.release(a, Released::evicted);
  // The first is computed, the second still B's, the third nobody's.
  CHECK(memory.free() == 8);
  Sequence c = sequence(2, 12, 12);
  CHECK(memory.beginning_of(c).shared == 2);
  CHECK(memory.beginning_of(c).found == 4);
  memory.release(b, Released::finished);
  CHECK(memory.free() == 10);
  CHECK(memory.beginning_of(c).shared == 0);
  CHECK(memory.beginning_of(c).found == 4);
  CHECK(memory.cached_blocks_evicted() == 0);
}

TEST_CASE("a block that tokens one by one fill is merged with the one that is there") {
  // B is a later turn, whose prompt names the tokens that A generates.
  MergedMemory memory(10, 4, {.on = true});
  Sequence a = sequence(0, 6, 6);
  Sequence b = sequence(1, 9, 6);
  b.request.content.push_back({own_run_key(0), 2});
  REQUIRE(memory.take_known(a));
  memory.computed(a, 6);
  REQUIRE(memory.take_known(b));
  CHECK(memory.free() == 6);
  const BlockId own = a.blocks[1];
  memory.fill(a, 7);
  CHECK(a.blocks[1] == b.blocks[1]);
  CHECK(a.blocks[1] != own);
  CHECK(memory.free() == 7);
  memory.computed(a, 8);
  CHECK(memory.beginning_of(b).found == 8);
  memory.release(a, Released::finished);
  memory.release(b, Released::finished);
  CHECK(memory.free() == 10);
}

TEST_CASE("without a cache it is a pool like any other") {
  MergedMemory memory(5, 4);
  Sequence a = sequence(0, 8, 8);
  Sequence b = sequence(1, 12, 12);
  REQUIRE(memory.take_known(a));
  CHECK(memory.beginning_of(b).shared == 0);
  REQUIRE(memory.take_known(b));
  CHECK(memory.free() == 0);
  Sequence c = sequence(2, 1, 1);
  CHECK_FALSE(memory.take_known(c));
  CHECK(c.blocks.empty());
}

}  // namespace decodesim::tests
