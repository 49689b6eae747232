// The prefix hits of a real trace, on a server that never has to forget anything.

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "sim/serving/simulation.hpp"
#include "sim/workload/traces/trace.hpp"
#include "tests/support/shared_data.hpp"
#include "tests/support/step_cost.hpp"
#include "tests/support/vector_source.hpp"

namespace decodesim::tests {

namespace {

constexpr std::int64_t block = 512;

/// Blocks found in place when these requests are played in their order by vllm-v1, each admitted as it comes.
std::int64_t blocks_found(std::vector<Request> requests) {
  const GridCost one_second(std::chrono::seconds(1));
  ServerConfig server;
  server.usable_blocks = 400'000;
  server.num_blocks = server.usable_blocks + 1;
  server.block_size = block;
  server.prefix_caching = true;
  server.max_model_len = 200'000;
  server.scheduler.max_num_batched_tokens = 1'000'000'000;
  server.scheduler.max_num_seqs = 100'000;
  server.cost = &one_second;
  server.grid_step = std::chrono::seconds(1);
  for (Request& request : requests) request.output_tokens = request.max_tokens = 1;

  struct Count : Observer {
    void step(const StepFacts& facts) override {
      found += facts.found_tokens;
      evicted += facts.cached_blocks_evicted;
    }
    void ended(const RequestFacts& facts) override { completed += facts.outcome == Outcome::completed ? 1 : 0; }
    std::int64_t found = 0;
    std::int64_t evicted = 0;
    std::int64_t completed = 0;
  } count;
  Observer* const observers[] = {&count};
  VectorSource source(requests);
  simulate(server, source, observers);
  CHECK(count.completed == static_cast<std::int64_t>(requests.size()));
  CHECK(count.evicted == 0);
  CHECK(count.found % block == 0);
  return count.found / block;
}

}  // namespace

TEST_CASE("of the 288,500 blocks of the Mooncake conversation trace 105,710 are found by who begins alike") {
  const auto path = shared_file("data/traces/mooncake_conversation_trace.jsonl");
  if (!path) return;
  const std::vector<Request> trace = read_trace(path->string());
  std::int64_t blocks = 0;
  for (const Request& request : trace) blocks += static_cast<std::int64_t>(request.content.size());
  CHECK(blocks == 288'500);

  // That count takes the last block of a prompt, which is partial, for a block as the others, and lets a prompt find all
  // of its own: here each gets its last block filled up, and a token behind it to be computed.
  std::vector<Request> filled = trace;
  for (Request& request : filled) {
    for (TokenRun& run : request.content) run.tokens = block;
    request.input_tokens = static_cast<std::int64_t>(request.content.size()) * block + 1;
  }
  CHECK(blocks_found(filled) == 105'710);

  // vLLM keeps only full blocks: 118 prompts are whole in the cache but for their last one.
  CHECK(blocks_found(trace) == 105'710 - 118);
}

}  // namespace decodesim::tests
