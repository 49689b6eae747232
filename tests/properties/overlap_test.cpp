// SGLang overlapped and short of memory: both engines tell the same, and what is rare elsewhere happens often.

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/disagreement.hpp"
#include "tests/support/draw_clients.hpp"
#include "tests/support/draws.hpp"
#include "tests/support/random_scenario.hpp"

namespace decodesim::tests {

namespace {

/// Counts what becomes of tokens under way.
class UnderWay : public Observer {
 public:
  [[nodiscard]] bool wants_schedule() const override { return true; }
  void step(const StepFacts& facts) override {
    for (const WithdrawnToken& lost : facts.withdrawn) {
      ++withdrawn;
      first += lost.gap ? 0 : 1;
      last += yielded_[lost.request->index]-- == output_.at(lost.request->index) ? 1 : 0;
    }
    for (const EvictionFacts& one : facts.evictions) {
      const bool lost_any =
          std::any_of(facts.withdrawn.begin(), facts.withdrawn.end(),
                      [&](const WithdrawnToken& lost) { return lost.request->index == one.victim->index; });
      lost_nothing += lost_any ? 0 : 1;
    }
    for (const Request* request : facts.schedule->finished) {
      const auto& served = facts.schedule->scheduled;
      const bool once_more = std::any_of(served.begin(), served.end(),
                                         [&](const auto& one) { return one.first->index == request->index; });
      (once_more ? served_once_more : not_served) += 1;
      carried_along += once_more && facts.shape.chunks > 0 ? 1 : 0;
    }
    // As far as this counts: a request yields where the step computes the last that is known of it.
    for (const auto& [request, tokens] : facts.schedule->scheduled) computed_[request->index] += tokens;
    for (const EvictionFacts& one : facts.evictions) computed_[one.victim->index] = 0;
    for (const auto& [request, tokens] : facts.schedule->cached_tokens) computed_[request->index] += tokens;
    for (const auto& [request, tokens] : facts.schedule->scheduled) {
      if (computed_[request->index] == request->input_tokens + yielded_[request->index]) ++yielded_[request->index];
    }
  }
  void arrived(const Request& request) override {
    output_[request.index] = request.output_tokens;
    yielded_[request.index] = computed_[request.index] = 0;
  }

  std::int64_t withdrawn = 0;
  std::int64_t first = 0;             // of them, first tokens
  std::int64_t last = 0;              // and last ones
  std::int64_t lost_nothing = 0;      // victims without a token under way
  std::int64_t served_once_more = 0;  // after their last tokens
  std::int64_t carried_along = 0;     // of them, beside prompts
  std::int64_t not_served = 0;        // since prompts came first

 private:
  std::map<std::int64_t, std::int64_t> output_;
  std::map<std::int64_t, std::int64_t> yielded_;
  std::map<std::int64_t, std::int64_t> computed_;
};

/// As many promises as the pool never holds, so that requests are taken back all the time.
void make_short_of_memory(Draws& draws, ServerConfig& server, std::vector<Request>& requests) {
  SchedulerSpec& knobs = server.scheduler;
  const auto [never_fits, fail_after] = std::pair(knobs.never_fits, knobs.fail_after);
  knobs = SchedulerSpec{};
  knobs.engine = "sglang";
  knobs.async = true;
  knobs.never_fits = never_fits;
  knobs.fail_after = fail_after;
  knobs.max_num_seqs = draws.between(3, 12);
  SglangKnobs& own = knobs.sglang;
  own.schedule_conservativeness = draws.pick({0.0, 0.0, 0.05, 0.3});
  own.clip_max_new_tokens = draws.between(1, 9);
  own.chunked_prefill_size = draws.chance(50) ? 0 : draws.between(server.block_size, 30);
  own.enable_mixed_chunk = draws.chance(50);
  own.disable_radix_cache = draws.chance(40);
  own.retract_decode_steps = draws.between(0, 8);
  own.enable_priority_scheduling = draws.chance(60);
  if (own.enable_priority_scheduling) own.priority_scheduling_preemption_threshold = draws.between(0, 2);
  if (draws.chance(30)) own.retraction_policy = SglangRetraction::priority;
  server.serving = {};
  server.prefix_caching = false;
  server.host_cache = {};
  server.max_model_len = 4096;
  std::int64_t largest = 0;
  for (Request& request : requests) {
    request.priority = draws.between(0, 4);
    request.max_tokens = request.output_tokens + (draws.chance(20) ? draws.between(1, 9) : 0);
    largest = std::max(largest, request.input_tokens + request.max_tokens);
  }
  server.num_blocks = server.usable_blocks =
      largest * draws.between(10, 22) / 10 / server.block_size + draws.between(3, 8);
}

}  // namespace

TEST_CASE("overlapped and short of memory: both engines tell the same facts, and tokens under way are lost") {
  UnderWay under_way;
  std::int64_t runs = 0;
  int failures = 0;
  for (std::uint64_t seed = 1; seed <= last_seed() / 2 && failures < 3; ++seed) {
    const RandomScenario scenario = random_scenario(seed);
    ++runs;
    Draws draws(seed);
    ServerConfig server = scenario.server;
    // Clients that leave ease what this is about, so they are in a part of the runs only.
    std::vector<Request> requests = seed % 4 == 0 ? scenario.requests : asked_once(scenario.requests);
    make_short_of_memory(draws, server, requests);
    const std::string difference = disagreement(server, requests, scenario.concurrency, under_way);
    if (difference.empty()) continue;
    ++failures;
    FAIL_CHECK("seed " << seed << ": " << difference);
  }
  CHECK(under_way.withdrawn > runs);
  CHECK(under_way.first > runs / 300);
  CHECK(under_way.last > runs / 40);
  CHECK(under_way.lost_nothing > runs / 500);
  CHECK(under_way.served_once_more > runs);
  CHECK(under_way.carried_along > runs / 10);
  CHECK(under_way.not_served > runs / 10);
}

}  // namespace decodesim::tests
