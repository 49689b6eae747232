#pragma once
// Small lists of requests, and what a run made of them, for tests that look at a few figures of it.

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/schedule_table.hpp"

namespace decodesim::tests {

/// Adds a request to the list, called a, b, c and so on.
inline Request& request(std::vector<Request>& list, std::int64_t input, std::int64_t output, std::int64_t arrival_s = 0,
                        std::int64_t priority = 0) {
  const auto index = static_cast<std::int64_t>(list.size());
  const std::string id = index < 26 ? std::string(1, static_cast<char>('a' + index)) : "r" + std::to_string(index);
  list.push_back({index, id, Time(std::chrono::seconds(arrival_s)), input, output, output, priority});
  return list.back();
}

inline std::vector<Request> alike(std::int64_t count, std::int64_t input, std::int64_t output) {
  std::vector<Request> list;
  for (std::int64_t i = 0; i < count; ++i) request(list, input, output);
  return list;
}

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
