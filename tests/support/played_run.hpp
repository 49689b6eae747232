#pragma once
// What a run made of its requests, for tests that look at a few figures of it.

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/schedule_table.hpp"

namespace decodesim::tests {

/// A played run: its table, what its requests emitted and how often they were evicted.
class Played : public ScheduleTable {
 public:
  void step(const StepFacts& facts) override {
    ScheduleTable::step(facts);
    tokens.emplace_back();
    for (const auto& [who, count] : facts.schedule->scheduled) tokens.back().push_back(count);
    running.push_back(facts.running);
    scheduled_tokens.push_back(facts.shape.tokens());
    most_cached = std::max(most_cached, facts.cached_tokens);
  }
  void ended(const RequestFacts& facts) override {
    ScheduleTable::ended(facts);
    outputs.push_back(facts.output_tokens);
    preemptions.push_back(facts.preemptions);
    outcomes.push_back(facts.outcome);
  }

  std::vector<std::vector<std::int64_t>> tokens;  // of each step, in the engine's order
  std::vector<std::int64_t> running;
  std::vector<std::int64_t> scheduled_tokens;
  std::int64_t most_cached = 0;
  std::vector<std::int64_t> outputs;  // in the order of ending
  std::vector<std::int64_t> preemptions;
  std::vector<Outcome> outcomes;
};

}  // namespace decodesim::tests
