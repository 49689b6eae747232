// How prompts share the tokens of a step, by the functions that TensorRT-LLM's engines call.

#include "sim/serving/schedulers/trtllm_chunking.hpp"

#include <doctest/doctest.h>

namespace decodesim::tests {

namespace {

std::vector<std::int64_t> chunk_sizes(const std::vector<ChunkShare>& shares) {
  std::vector<std::int64_t> sizes;
  for (const ChunkShare& share : shares) sizes.push_back(share.chunk);
  return sizes;
}
using Sizes = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("with 12 tokens left and a unit of 4, prompts of 10, 10 and 3 get 10 in order, or 11 in turn") {
  const std::vector<ContextLeft> contexts{{10, 0}, {10, 0}, {3, 0}};
  const ChunkLimits limits{12, 4, std::nullopt};
  CHECK(chunk_sizes(first_come_first_served_chunks(contexts, limits)) == Sizes{10, 0, 0});
  CHECK(chunk_sizes(equal_progress_chunks(contexts, limits)) == Sizes{4, 4, 3});
  CHECK(chunk_sizes(forced_chunks(contexts, limits)) == Sizes{4, 4, 3});
}

TEST_CASE("forced chunks are one unit each, and nothing where they overflow") {
  CHECK(chunk_sizes(forced_chunks({{10, 0}, {10, 0}, {3, 0}}, {7, 4, std::nullopt})) == Sizes{4, 0, 3});
  CHECK(chunk_sizes(forced_chunks({{10, 6}, {2, 0}}, {std::nullopt, 4, std::nullopt})) == Sizes{4, 2});
}

TEST_CASE("a longest context counts what is computed, beside what is reused") {
  const ChunkLimits limits{std::nullopt, 2, 6};
  CHECK(first_come_first_served_chunks({{20, 8}, {6, 0}}, limits) == std::vector<ChunkShare>{{14, 6}, {6, 6}});
  CHECK(equal_progress_chunks({{20, 8}, {6, 0}}, limits) == std::vector<ChunkShare>{{14, 6}, {6, 6}});
}

TEST_CASE("no policy gives more than the capacity, nor more than a prompt has left") {
  for (std::int64_t seed = 0; seed < 2000; ++seed) {
    std::vector<ContextLeft> contexts;
    for (std::int64_t i = 0; i < 1 + seed % 5; ++i) {
      const std::int64_t remaining = 1 + (seed * 7 + i * 13) % 23;
      contexts.push_back({remaining, (seed / 3 + i) % remaining});
    }
    const ChunkLimits limits{seed % 31, 1 + seed % 6, std::nullopt};
    for (const auto policy : {first_come_first_served_chunks, equal_progress_chunks, forced_chunks}) {
      std::int64_t total = 0;
      const std::vector<ChunkShare> shares = policy(contexts, limits);
      for (std::size_t i = 0; i < contexts.size(); ++i) {
        CHECK(shares[i].chunk <= contexts[i].remaining);
        CHECK(shares[i].computed <= shares[i].chunk);
        CHECK((shares[i].chunk == contexts[i].remaining || shares[i].chunk % limits.unit == 0));
        total += shares[i].computed;
      }
      CHECK(total <= *limits.capacity);
    }
  }
}

}  // namespace decodesim::tests
