// Every value of every axis that vLLM V1 leaves open makes a difference somewhere, and so does planning ahead.

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/serving/policy_table.hpp"
#include "tests/support/disagreement.hpp"
#include "tests/support/draws.hpp"
#include "tests/support/engines.hpp"
#include "tests/support/facts_text.hpp"
#include "tests/support/random_scenario.hpp"

namespace decodesim::tests {

namespace {

void choose(PolicyChoices& policies, std::string_view axis, std::string_view name) {
  if (axis == "queue_order") policies.queue_order = name;
  if (axis == "admission") policies.admission = name;
  if (axis == "victim") policies.victim = name;
  if (axis == "destination") policies.destination = name;
  if (axis == "kv_fate") policies.kv_fate = name;
  if (axis == "after_eviction") policies.after_eviction = name;
}

/// The engine's own choice, or for that itself another.
std::string_view another_on(const EngineRow& engine, const PolicyRow& row) {
  if (own_policy(engine, row.axis) != row.name) return own_policy(engine, row.axis);
  for (std::string_view name : policy_names(row.axis)) {
    if (name != row.name && engine_takes(engine, *find_policy(row.axis, name))) return name;
  }
  return {};
}

std::vector<std::string> facts(const RandomScenario& scenario, const ServerConfig& server,
                               const std::vector<Request>& requests) {
  FactsText told;
  play(engines().back(), server, requests, scenario.concurrency, {&told}, scenario.closes);
  return told.lines();
}

/// The first of the random scenarios in which this policy and another of its axis part; 0: none.
std::uint64_t seed_with_difference(const EngineRow& engine, const PolicyRow& row) {
  for (std::uint64_t seed = 1; seed <= 4000; ++seed) {
    const RandomScenario scenario = random_scenario(seed);
    if (scenario.server.scheduler.engine != engine.name) continue;
    std::vector<Request> requests = scenario.requests;
    for (Request& request : requests) {
      request.priority = request.index * 7 % 3;
      request.tenant = request.index % 3 == 0 ? "a" : "b";
      request.deadline = Duration(std::chrono::seconds(1 + request.index * 5 % 7));
    }
    ServerConfig with = scenario.server;
    // A sorted queue has one place for victims, and only it has that one.
    if (row.axis == "queue_order" || row.axis == "destination") with.scheduler.policies.destination = {};
    if (row.axis == "destination") with.scheduler.policies.queue_order = {};
    // Room on the host, at no cost.
    if (row.axis == "kv_fate") {
      with.host_blocks = 1000;
      with.host.bandwidth = BytesPerSecond(0);
    }
    ServerConfig without = with;
    choose(with.scheduler.policies, row.axis, row.name);
    choose(without.scheduler.policies, row.axis, another_on(engine, row));
    if (row.name == "by-key") with.scheduler.policies.queue_order = "priority";
    if (facts(scenario, with, requests) != facts(scenario, without, requests)) return seed;
  }
  return 0;
}

/// The first of the random scenarios in which planning ahead changes the schedule, at the same price of a step; 0: none.
std::uint64_t seed_with_difference_ahead(const EngineRow& engine) {
  for (std::uint64_t seed = 1; seed <= 4000; ++seed) {
    const RandomScenario scenario = random_scenario(seed);
    if (scenario.server.scheduler.engine != engine.name) continue;
    ServerConfig other = scenario.server;
    other.scheduler.async = !other.scheduler.async;
    if (facts(scenario, scenario.server, scenario.requests) != facts(scenario, other, scenario.requests)) return seed;
  }
  return 0;
}

/// Counts what free choices bring that vLLM's own do not.
class Rarities : public Observer {
 public:
  [[nodiscard]] bool wants_schedule() const override { return true; }
  void step(const StepFacts& facts) override {
    left_out += facts.scheduled > 0 && facts.running > facts.scheduled ? 1 : 0;
    for (const EvictionFacts& one : facts.evictions) {
      const auto victim = std::find(running_.begin(), running_.end(), one.victim->index);
      const auto requester = std::find(running_.begin(), running_.end(), one.requester->index);
      before_requester += victim < requester ? 1 : 0;
      itself_before_others += victim == requester && victim + 1 != running_.end() ? 1 : 0;
      running_.erase(victim);
    }
    for (const auto& [request, tokens] : facts.schedule->scheduled) {
      if (std::find(running_.begin(), running_.end(), request->index) == running_.end())
        running_.push_back(request->index);
      for (const Request* victim : facts.schedule->preempted) back_at_once += victim->index == request->index ? 1 : 0;
    }
    for (const Request* request : facts.schedule->finished)
      running_.erase(std::find(running_.begin(), running_.end(), request->index));
  }
  void run_ended(const RunFacts&) override { running_.clear(); }

  std::int64_t left_out = 0;              // passes that served some of the running only
  std::int64_t before_requester = 0;      // victims that had their tokens already
  std::int64_t itself_before_others = 0;  // requesters that were their own victims, with others behind them
  std::int64_t back_at_once = 0;          // victims that were admitted in the pass that evicted them

 private:
  std::vector<std::int64_t> running_;  // in order of admission
};

}  // namespace

TEST_CASE("free choices under pressure: both engines tell the same facts, and the rare cases are reached") {
  const std::vector<std::string_view> victims = policy_names("victim");
  const char* const destinations[] = {"head", "tail", "same-place"};
  Rarities rarities;
  std::int64_t runs = 0;
  int failures = 0;
  for (std::uint64_t seed = 1; seed <= last_seed() / 2 && failures < 3; ++seed) {
    const RandomScenario scenario = random_scenario(seed);
    if (scenario.server.scheduler.async) continue;  // its steps have another price
    ++runs;
    Draws draws(seed);
    ServerConfig server = scenario.server;
    SchedulerSpec& knobs = server.scheduler;
    knobs = SchedulerSpec{};
    knobs.never_fits = scenario.server.scheduler.never_fits;
    knobs.fail_after = scenario.server.scheduler.fail_after;
    knobs.max_num_seqs = draws.between(2, 12);
    knobs.max_num_batched_tokens = draws.between(2, 40);
    knobs.long_prefill_token_threshold = draws.chance(50) ? 0 : draws.between(1, 8);
    PolicyChoices& policies = knobs.policies;
    policies.admission = "first-chunk";
    const auto last = static_cast<std::int64_t>(victims.size()) - 1;
    policies.victim = victims[static_cast<std::size_t>(draws.between(0, last))];
    if (!engine_takes(*find_engine("vllm-v1"), *find_policy("victim", *policies.victim))) continue;
    policies.after_eviction = draws.chance(50) ? "admit" : "wait";
    if (draws.chance(40)) {
      policies.queue_order = "priority";
    } else {
      policies.destination = destinations[draws.between(0, 2)];
    }
    server.serving = {};
    server.prefix_caching = false;
    std::vector<Request> requests = scenario.requests;
    std::int64_t largest = 0;
    for (Request& request : requests) {
      request.priority = draws.between(0, 3);
      largest = std::max(largest, request.input_tokens + request.output_tokens);
    }
    server.usable_blocks = (largest + server.block_size - 1) / server.block_size + draws.between(0, 4);
    server.num_blocks = server.usable_blocks + 1;

    const std::string difference = disagreement(server, requests, scenario.concurrency, rarities);
    if (difference.empty()) continue;
    ++failures;
    CAPTURE(*policies.victim);
    CAPTURE(*policies.after_eviction);
    FAIL_CHECK("seed " << seed << ": " << difference);
  }
  CHECK(rarities.left_out > runs);
  CHECK(rarities.before_requester > runs);
  CHECK(rarities.itself_before_others > runs);
  CHECK(rarities.back_at_once > runs);
}

TEST_CASE("each value of each open axis changes the schedule of some scenario") {
  const EngineRow& engine = *find_engine("vllm-v1");
  int values = 0;
  for (const PolicyRow& row : policy_table()) {
    if (!engine_opens(engine.name, row.axis) || !engine_takes(engine, row)) continue;
    if (another_on(engine, row).empty()) continue;  // the only one there is
    ++values;
    CAPTURE(row.axis);
    CAPTURE(row.name);
    CHECK(seed_with_difference(engine, row) != 0);
  }
  CHECK(values >= 16);
}

TEST_CASE("planning ahead changes the schedule of some scenario of every engine that can") {
  int engines = 0;
  for (const EngineRow& engine : engine_table()) {
    if (!engine_reads(engine.name, "async")) continue;
    ++engines;
    CAPTURE(engine.name);
    CHECK(seed_with_difference_ahead(engine) != 0);
  }
  CHECK(engines == 2);
}

TEST_CASE("a policy has one name on its axis, and an engine chooses once on each") {
  for (const PolicyRow& row : policy_table()) {
    CAPTURE(row.name);
    CHECK(find_policy(row.axis, row.name) == &row);
  }
  for (const EngineRow& engine : engine_table()) {
    CAPTURE(engine.name);
    for (std::string_view name : engine.policies) {
      CAPTURE(name);
      int axes = 0;
      for (const PolicyRow& row : policy_table()) axes += row.name == name ? 1 : 0;
      CHECK(axes >= 1);
    }
  }
}

}  // namespace decodesim::tests
