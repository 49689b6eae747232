// Every value of every axis that vLLM V1 leaves open makes a difference somewhere.

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "sim/serving/policy_table.hpp"
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
  play(engines().back(), server, requests, scenario.concurrency, {&told});
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
      request.client = request.index % 3 == 0 ? "a" : "b";
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

}  // namespace

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
