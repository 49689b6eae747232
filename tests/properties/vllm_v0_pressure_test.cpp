// vLLM V0's prefix cache where blocks are short: prompts are evicted between their chunks, and share what is half computed.

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/disagreement.hpp"
#include "tests/support/draws.hpp"
#include "tests/support/random_scenario.hpp"

namespace decodesim::tests {

namespace {

class Rarities : public Observer {
 public:
  void step(const StepFacts& facts) override {
    for (const EvictionFacts& one : facts.evictions) between_chunks += one.tokens < one.victim->input_tokens ? 1 : 0;
    found_first += facts.found_tokens;
    found_again += facts.found_again_tokens;
  }
  std::int64_t between_chunks = 0;  // victims whose prompt was not computed to its end
  std::int64_t found_first = 0;
  std::int64_t found_again = 0;
};

ServerConfig pressed(const RandomScenario& scenario, Draws& draws) {
  ServerConfig server = scenario.server;
  server.scheduler = SchedulerSpec{};
  server.scheduler.engine = "vllm-v0";
  server.scheduler.never_fits = scenario.server.scheduler.never_fits;
  server.scheduler.fail_after = scenario.server.scheduler.fail_after;
  server.scheduler.enable_chunked_prefill = draws.chance(80);
  server.scheduler.vllm_v0.append_check = draws.chance(70) ? AppendCheck::heuristic : AppendCheck::exact;
  server.scheduler.max_num_seqs = draws.between(2, 12);
  server.serving = {};
  server.prefix_caching = true;
  server.uncached_free_to_front = draws.chance(70);
  server.block_size = draws.between(1, 5);
  server.scheduler.max_num_batched_tokens = draws.between(server.block_size, 5 * server.block_size + 4);
  return server;
}

}  // namespace

TEST_CASE("under pressure both engines tell the same facts of vLLM V0's prefix cache, and the rare cases are reached") {
  Rarities rarities;
  std::int64_t runs = 0;
  int failures = 0;
  for (std::uint64_t seed = 1; seed <= last_seed() / 2 && failures < 3; ++seed) {
    const RandomScenario scenario = random_scenario(seed);
    if (scenario.server.scheduler.async) continue;  // its steps have another price
    ++runs;
    Draws draws(seed);
    ServerConfig server = pressed(scenario, draws);
    std::vector<Request> requests = scenario.requests;
    std::int64_t largest = 0;
    for (Request& request : requests) {
      const auto kind = static_cast<std::uint64_t>(draws.between(1, 3));
      request.content = {{kind, draws.between(1, request.input_tokens)}};
      request.cache_salt.clear();
      largest = std::max(largest, request.input_tokens + request.output_tokens);
    }
    server.usable_blocks = server.num_blocks =
        (largest + server.block_size - 1) / server.block_size + draws.between(0, 6);

    const std::string difference = disagreement(server, requests, scenario.concurrency, rarities);
    if (difference.empty()) continue;
    ++failures;
    FAIL_CHECK("seed " << seed << ": " << difference);
  }
  CHECK(rarities.between_chunks > runs / 4);
  CHECK(rarities.found_first > runs);
  CHECK(rarities.found_again > runs);
}

}  // namespace decodesim::tests
