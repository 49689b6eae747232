// KV that moves to the host and back, through the Draft alone.

#include <doctest/doctest.h>

#include <memory>

#include "sim/serving/draft.hpp"
#include "sim/serving/paged_memory.hpp"

namespace decodesim::tests {

namespace {

constexpr std::int64_t blocks = 10;

/// A replica of ten blocks of four tokens, with room for `host` blocks beside it.
struct Bench {
  explicit Bench(std::int64_t host) : state(config(host), std::make_unique<PagedMemory>(blocks, 4), nullptr) {}

  static ServerConfig config(std::int64_t host) {
    ServerConfig server;
    server.block_size = 4;
    server.host_blocks = host;
    return server;
  }
  PagedMemory& pages() { return static_cast<PagedMemory&>(*state.memory); }
  /// Admits it and plays its whole prompt, so that it decodes afterwards.
  void run(Sequence& sequence, std::int64_t prompt) {
    sequence.request.input_tokens = prompt;
    sequence.output_tokens = 100;
    state.waiting.push_back(sequence);
    REQUIRE(pages().grow(sequence, prompt));
    draft.admit(sequence, 0, prompt);
    decisions.clear();
    state.prefilling.clear();
    sequence.cached = prompt;
    state.cached_tokens += prompt;
    sequence.generated = 1;
    sequence.first_token = sequence.last_token = Time(Duration(1));
    state.cohort.join(sequence);
  }

  ReplicaState state;
  PassDecisions decisions;
  Draft draft{state, decisions};
};

}  // namespace

TEST_CASE("a sequence that is swapped keeps its counts, and gives its blocks for as many on the host") {
  Bench bench(5);
  Sequence one;
  bench.run(one, 6);
  REQUIRE(bench.draft.swap_out(one, {.requester = &one, .reason = EvictionReason::decode}));
  CHECK(one.state == SequenceState::swapped);
  CHECK(one.cached == 6);
  CHECK(one.generated == 1);
  CHECK(one.preemptions == 1);
  CHECK(one.discarded == 0);
  CHECK(bench.state.memory->free() == blocks);
  CHECK(bench.state.host.free() == 3);
  CHECK(bench.state.running.empty());
  CHECK(bench.state.waiting.empty());
  CHECK(bench.state.cohort.size() == 0);
  CHECK(bench.state.cached_tokens == 0);
  CHECK(bench.state.swapped == std::vector<Sequence*>{&one});
  REQUIRE(bench.decisions.evictions.size() == 1);
  CHECK(bench.decisions.evictions.front().fate == KvFate::swapped);
  CHECK(bench.decisions.evictions.front().blocks == 2);
  CHECK(bench.decisions.blocks_out == 2);
}

TEST_CASE("a swap that the host has no room for changes nothing") {
  Bench bench(1);
  Sequence one;
  bench.run(one, 6);
  CHECK_FALSE(bench.draft.swap_out(one, {}));
  CHECK(one.state == SequenceState::decoding);
  CHECK(bench.state.memory->free() == blocks - 2);
  CHECK(bench.state.host.free() == 1);
  CHECK(bench.state.cohort.size() == 1);
  CHECK(bench.decisions.preempted.empty());
}

TEST_CASE("who comes back from the host decodes on, and its host blocks are free again") {
  Bench bench(5);
  Sequence one;
  Sequence other;
  bench.run(one, 6);
  bench.run(other, 3);
  REQUIRE(bench.draft.swap_out(one, {}));
  REQUIRE(bench.pages().grow(one, one.cached + 1));
  bench.draft.swap_in(one);
  CHECK(one.state == SequenceState::decoding);
  CHECK(bench.state.cohort.cached(one) == 6);
  CHECK(bench.state.running.back() == &one);
  CHECK(bench.state.host.free() == 5);
  CHECK(bench.state.swapped.empty());
  CHECK(bench.state.cached_tokens == 9);
  CHECK(bench.decisions.blocks_in == 2);
}

TEST_CASE("those on the host stand in the order of their arrival, whoever was swapped first") {
  Bench bench(5);
  Sequence one;
  Sequence other;
  one.arrival = 1;
  other.arrival = 2;
  bench.run(one, 4);
  bench.run(other, 4);
  REQUIRE(bench.draft.swap_out(other, {}));
  REQUIRE(bench.draft.swap_out(one, {}));
  CHECK(bench.state.swapped == std::vector<Sequence*>{&one, &other});
}

TEST_CASE("who is dropped on the host leaves it, and its room is free again") {
  Bench bench(5);
  Sequence one;
  bench.run(one, 6);
  REQUIRE(bench.draft.swap_out(one, {}));
  bench.draft.drop(one);
  CHECK(bench.state.host.free() == 5);
  CHECK(bench.state.swapped.empty());
  REQUIRE(bench.decisions.dropped.size() == 1);
  CHECK(bench.decisions.dropped.front().sequence == &one);
}

}  // namespace decodesim::tests
