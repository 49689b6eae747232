// Drafts where blocks and tokens of a step are short: who verifies them is evicted, left out, or ends in the middle of a step.

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
  explicit Rarities(const ServerConfig& server) : drafts_(server.scheduler.speculative.draft_tokens) {}
  void step(const StepFacts& facts) override {
    const std::int64_t decodes = facts.shape.drafts / drafts_;
    accepted += facts.accepted_tokens;
    if (decodes > 0 && facts.accepted_tokens % decodes != 0) ++cut_at_end;
    for (const EvictionFacts& one : facts.evictions) after_output += one.tokens >= one.victim->input_tokens ? 1 : 0;
    if (decodes > 0 && facts.running > facts.scheduled) ++left_out;
    found_again += facts.found_again_tokens;
  }
  std::int64_t accepted = 0;
  std::int64_t cut_at_end = 0;    // steps in which somebody had fewer tokens left than the others got
  std::int64_t after_output = 0;  // victims that had drafts verified
  std::int64_t left_out = 0;      // steps without somebody who ran
  std::int64_t found_again = 0;   // tokens that victims found in the prefix cache

 private:
  std::int64_t drafts_;
};

ServerConfig pressed(const RandomScenario& scenario, Draws& draws) {
  ServerConfig server = scenario.server;
  server.scheduler = SchedulerSpec{};
  server.scheduler.never_fits = scenario.server.scheduler.never_fits;
  server.scheduler.fail_after = scenario.server.scheduler.fail_after;
  server.scheduler.reserve_full_isl = draws.chance(50);
  server.scheduler.max_num_seqs = draws.between(2, 12);
  if (draws.chance(30)) server.scheduler.policies.after_eviction = "admit";
  if (draws.chance(30)) server.scheduler.policies.victim = "fewest-generated";
  SpeculativeSpec& speculative = server.scheduler.speculative;
  speculative.draft_tokens = draws.between(1, 6);
  speculative.acceptance = static_cast<double>(draws.between(0, 20)) / 20;
  if (draws.chance(40)) speculative.draft = DraftKind::head;
  server.serving = {};
  server.host_cache = {};
  server.prefix_caching = draws.chance(60);
  // Of a block of one token that a victim took in vain and left its hash on, the facts do not tell the number.
  server.block_size = draws.between(server.prefix_caching ? 2 : 1, 6);
  server.scheduler.max_num_batched_tokens = draws.between(1, 8) * (1 + speculative.draft_tokens) + draws.between(0, 5);
  return server;
}

}  // namespace

TEST_CASE("under pressure both engines tell the same facts of drafts, and the rare cases are reached") {
  std::int64_t runs = 0;
  std::int64_t accepted = 0;
  std::int64_t cut_at_end = 0;
  std::int64_t after_output = 0;
  std::int64_t left_out = 0;
  std::int64_t found_again = 0;
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
      request.remote_tokens = 0;
      largest = std::max(largest, request.input_tokens + request.output_tokens);
    }
    largest += 2 * server.scheduler.speculative.draft_tokens;
    server.usable_blocks = (largest + server.block_size - 1) / server.block_size + draws.between(0, 6);
    server.num_blocks = server.usable_blocks + 1;

    Rarities rarities(server);
    const std::string difference = disagreement(server, requests, scenario.concurrency, rarities);
    accepted += rarities.accepted;
    cut_at_end += rarities.cut_at_end;
    after_output += rarities.after_output;
    left_out += rarities.left_out;
    found_again += rarities.found_again;
    if (difference.empty()) continue;
    ++failures;
    FAIL_CHECK("seed " << seed << ": " << difference);
  }
  CHECK(accepted > 25 * runs);
  CHECK(cut_at_end > runs / 2);
  CHECK(after_output > runs / 2);
  CHECK(left_out > runs);
  CHECK(found_again > runs / 2);
}

TEST_CASE("admission tests that promise it evict nobody where drafts are verified, however few the blocks") {
  class Evictions : public Observer {
   public:
    void step(const StepFacts& facts) override {
      evicted += static_cast<std::int64_t>(facts.evictions.size());
      together = std::max(together, facts.running);
    }
    std::int64_t evicted = 0;
    std::int64_t together = 0;
  };
  std::int64_t runs = 0;
  std::int64_t shared = 0;
  int failures = 0;
  for (std::uint64_t seed = 1; seed <= last_seed() / 2 && failures < 3; ++seed) {
    const RandomScenario scenario = random_scenario(seed);
    if (scenario.server.scheduler.async) continue;  // its steps have another price
    ++runs;
    Draws draws(seed);
    ServerConfig server = pressed(scenario, draws);
    server.scheduler.reserve_full_isl = true;
    server.scheduler.policies = {};
    server.scheduler.policies.admission = draws.chance(50) ? "prompt-and-max" : "peak-estimate";
    std::vector<Request> requests = scenario.requests;
    std::int64_t largest = 0;
    for (Request& request : requests) {
      request.remote_tokens = 0;
      largest = std::max(largest, request.input_tokens + request.max_tokens);
    }
    largest += 2 * server.scheduler.speculative.draft_tokens;
    server.usable_blocks = (largest + server.block_size - 1) / server.block_size + draws.between(1, 12);
    server.num_blocks = server.usable_blocks + 1;

    Evictions evictions;
    const std::string difference = disagreement(server, requests, scenario.concurrency, evictions);
    shared += evictions.together > 1 ? 1 : 0;
    if (difference.empty() && evictions.evicted == 0) continue;
    ++failures;
    FAIL_CHECK("seed " << seed << ": " << evictions.evicted << " evicted, " << difference);
  }
  CHECK(shared > runs / 2);
}

}  // namespace decodesim::tests
