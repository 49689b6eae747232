// The checker of invariants must notice what it is there for: facts of a sound run, with one of them made wrong.

#include <doctest/doctest.h>

#include <chrono>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/engines.hpp"
#include "tests/support/invariants.hpp"
#include "tests/support/step_cost.hpp"

namespace decodesim::tests {

namespace {

using ChangeStep = std::function<void(StepFacts&, ScheduleFacts&, std::vector<TokenGap>&)>;
using ChangeEnd = std::function<void(RequestFacts&)>;
using ChangeWithdrawn = std::function<void(std::vector<WithdrawnToken>&)>;

/// Hands facts on to a checker, one step and the end of one request changed on the way.
class Tampering : public Observer {
 public:
  Tampering(const ServerConfig& server, std::int64_t pass, ChangeStep change_step, ChangeEnd change_end,
            ChangeWithdrawn change_withdrawn = nullptr)
      : checker(server),
        pass_(pass),
        change_step_(std::move(change_step)),
        change_end_(std::move(change_end)),
        change_withdrawn_(std::move(change_withdrawn)) {}

  [[nodiscard]] bool wants_schedule() const override { return true; }
  void arrived(const Request& request) override { checker.arrived(request); }
  void step(const StepFacts& facts) override {
    StepFacts changed = facts;
    ScheduleFacts schedule = *facts.schedule;
    std::vector<TokenGap> gaps(facts.gaps.begin(), facts.gaps.end());
    if (facts.number == pass_ && change_step_) change_step_(changed, schedule, gaps);
    changed.schedule = &schedule;
    changed.gaps = gaps;
    std::vector<WithdrawnToken> withdrawn(facts.withdrawn.begin(), facts.withdrawn.end());
    if (facts.number == pass_ && change_withdrawn_) change_withdrawn_(withdrawn);
    changed.withdrawn = withdrawn;
    checker.step(changed);
  }
  void ended(const RequestFacts& facts) override {
    RequestFacts changed = facts;
    if (facts.request->index == 1 && change_end_) change_end_(changed);
    checker.ended(changed);
  }
  void run_ended(const RunFacts& facts) override { checker.run_ended(facts); }

  InvariantChecker checker;

 private:
  std::int64_t pass_;
  ChangeStep change_step_;
  ChangeEnd change_end_;
  ChangeWithdrawn change_withdrawn_;
};

ServerConfig server_of(std::int64_t blocks, std::int64_t block_size, const CostModel& cost) {
  ServerConfig server;
  server.num_blocks = server.usable_blocks = blocks;
  server.block_size = block_size;
  server.max_model_len = 100;
  server.cost = &cost;
  return server;
}

/// One of five blocks of four tokens and one that the engine keeps to itself, which three requests outgrow.
ServerConfig pressed_server(const CostModel& cost) {
  ServerConfig server = server_of(5, 4, cost);
  server.num_blocks = 6;
  server.scheduler.max_num_batched_tokens = 16;
  server.scheduler.max_num_seqs = 4;
  return server;
}

/// What the checker says about a run in which B and C are evicted, in the passes 5 and 3, and come back in pass 8.
std::string violation(std::int64_t pass, ChangeStep change_step, ChangeEnd change_end = nullptr) {
  const ShapeCost cost;
  const ServerConfig server = pressed_server(cost);
  const std::vector<Request> requests{
      {0, "A", Time{}, 6, 7, 7, 0}, {1, "B", Time{}, 5, 6, 6, 0}, {2, "C", Time{}, 3, 5, 5, 0}};
  Tampering tampering(server, pass, std::move(change_step), std::move(change_end));
  play(engines().front(), server, requests, std::nullopt, {&tampering});
  return tampering.checker.violation();
}

}  // namespace

TEST_CASE("the checker finds nothing wrong with a sound run") { CHECK(violation(0, nullptr) == ""); }

TEST_CASE("the checker notices every wrong count of a step") {
  const std::vector<std::function<void(StepFacts&)>> changes{
      [](StepFacts& step) { step.number += 1; },
      [](StepFacts& step) { step.start -= Duration(1); },
      [](StepFacts& step) { step.end += Duration(1); },
      [](StepFacts& step) { step.shape.decode_context += 1; },
      [](StepFacts& step) { step.shape.samples -= 1; },
      [](StepFacts& step) { step.ledger.bound[0] += Duration(1); },
      [](StepFacts& step) { step.running -= 1; },
      [](StepFacts& step) { step.waiting += 1; },
      [](StepFacts& step) { step.scheduled -= 1; },
      [](StepFacts& step) { step.preempted += 1; },
      [](StepFacts& step) { step.free_blocks += 1; },
      [](StepFacts& step) { step.cached_tokens -= 1; },
      [](StepFacts& step) { step.recomputed_tokens += 1; },
      [](StepFacts& step) { step.recompute_time += Duration(1); },
      [](StepFacts& step) { step.limit = AdmissionLimit::max_num_seqs; },
      [](StepFacts& step) { step.limit = AdmissionLimit::token_budget; },
  };
  for (std::size_t i = 0; i < changes.size(); ++i) {
    CAPTURE(i);
    CHECK(violation(4, [&](StepFacts& step, ScheduleFacts&, std::vector<TokenGap>&) { changes[i](step); }) != "");
  }
}

TEST_CASE("the checker notices a wrong schedule") {
  const std::vector<std::pair<std::int64_t, std::function<void(ScheduleFacts&)>>> changes{
      {2, [](ScheduleFacts& schedule) { schedule.block_tables[0].second.push_back(5); }},
      {2, [](ScheduleFacts& schedule) { schedule.block_tables[0].second[0] = 9; }},
      {2, [](ScheduleFacts& schedule) { schedule.block_tables[1].second = schedule.block_tables[0].second; }},
      {2, [](ScheduleFacts& schedule) { schedule.scheduled[0].second = 2; }},
      {2, [](ScheduleFacts& schedule) { std::swap(schedule.scheduled[0], schedule.scheduled[1]); }},
      {3, [](ScheduleFacts& schedule) { schedule.preempted.clear(); }},
      {3, [](ScheduleFacts& schedule) { schedule.preempted[0] = schedule.scheduled[0].first; }},
      {5, [](ScheduleFacts& schedule) { std::swap(schedule.waiting[0], schedule.waiting[1]); }},
      {7, [](ScheduleFacts& schedule) { schedule.finished.clear(); }},
      {8, [](ScheduleFacts& schedule) { std::swap(schedule.scheduled[0], schedule.scheduled[1]); }},
      {8,
       [](ScheduleFacts& schedule) {
         schedule.cached_tokens.push_back({schedule.scheduled[0].first, 4});
       }},
  };
  for (std::size_t i = 0; i < changes.size(); ++i) {
    CAPTURE(i);
    const auto change = [&](StepFacts&, ScheduleFacts& schedule, std::vector<TokenGap>&) {
      changes[i].second(schedule);
    };
    CHECK(violation(changes[i].first, change) != "");
  }
}

TEST_CASE("the checker notices a lost or a wrong gap between tokens") {
  CHECK(violation(4, [](StepFacts&, ScheduleFacts&, std::vector<TokenGap>& gaps) { gaps.pop_back(); }) != "");
  CHECK(violation(4, [](StepFacts&, ScheduleFacts&, std::vector<TokenGap>& gaps) { gaps[0].gap += Duration(1); }) !=
        "");
}

TEST_CASE("the checker notices wrong facts about a token that is lost with its victim") {
  const ShapeCost cost;
  ServerConfig server = server_of(16, 1, cost);
  server.scheduler.engine = "sglang";
  server.scheduler.async = true;
  server.scheduler.sglang.disable_radix_cache = true;
  server.scheduler.sglang.schedule_conservativeness = 0;
  // A is taken back in pass 6, while its last token is under way.
  const std::vector<Request> requests{{0, "A", Time{}, 6, 4, 4, 0}, {1, "B", Time(Duration(1)), 3, 5, 5, 0}};
  const auto violation = [&](const std::function<void(std::vector<WithdrawnToken>&)>& change) {
    Tampering tampering(server, 6, nullptr, nullptr, change);
    play(engines().front(), server, requests, std::nullopt, {&tampering});
    return tampering.checker.violation();
  };
  CHECK(violation([](std::vector<WithdrawnToken>& lost) { CHECK(lost.size() == 1); }) == "");
  CHECK(violation([](std::vector<WithdrawnToken>& lost) { lost.clear(); }) != "");
  CHECK(violation([](std::vector<WithdrawnToken>& lost) { lost.push_back(lost.front()); }) != "");
  CHECK(violation([](std::vector<WithdrawnToken>& lost) { lost.front().gap.reset(); }) != "");
  CHECK(violation([](std::vector<WithdrawnToken>& lost) { *lost.front().gap += Duration(1); }) != "");
  CHECK(violation([&](std::vector<WithdrawnToken>& lost) { lost.front().request = &requests[1]; }) != "");
}

TEST_CASE("the checker takes a hit on what was registered for a victim of the pass, and on nothing else") {
  const ShapeCost cost;
  ServerConfig server = pressed_server(cost);
  server.prefix_caching = true;
  server.scheduler.long_prefill_token_threshold = 8;
  server.scheduler.policies.victim = "most-reclaimable-blocks";
  // A is evicted in pass 2, after it was given block 4, and comes back in pass 3 to the blocks 1, 2 and 4.
  const std::vector<Request> requests{{0, "A", Time{}, 20, 1, 1, 0}, {1, "B", Time{}, 4, 2, 2, 0}};
  const auto violation = [&](const std::function<void(std::vector<std::uint32_t>&)>& change) {
    Tampering tampering(
        server, 3,
        [&](StepFacts&, ScheduleFacts& schedule, std::vector<TokenGap>&) { change(schedule.block_tables[0].second); },
        nullptr);
    play(engines().front(), server, requests, std::nullopt, {&tampering});
    return tampering.checker.violation();
  };
  CHECK(violation([](std::vector<std::uint32_t>& table) { CHECK(table[2] == 4); }) == "");
  CHECK(violation([](std::vector<std::uint32_t>& table) { std::swap(table[1], table[2]); }) != "");
  CHECK(violation([](std::vector<std::uint32_t>& table) { std::swap(table[2], table[3]); }) != "");
  CHECK(violation([](std::vector<std::uint32_t>& table) { std::swap(table[2], table[4]); }) != "");
}

TEST_CASE("the checker notices too much on the host, and who is there without being told") {
  const ShapeCost cost;
  ServerConfig server = pressed_server(cost);
  server.scheduler.policies.kv_fate = "swapped";
  server.host_blocks = 10;
  const std::vector<Request> requests{
      {0, "A", Time{}, 6, 7, 7, 0}, {1, "B", Time{}, 5, 6, 6, 0}, {2, "C", Time{}, 3, 5, 5, 0}};
  // C goes to the host in pass 3 and stays there for a while.
  const auto violation = [&](std::int64_t room, std::int64_t untold) {
    ServerConfig seen = server;
    seen.host_blocks = room;
    Tampering tampering(
        seen, 3,
        [&](StepFacts& step, ScheduleFacts&, std::vector<TokenGap>&) {
          CHECK(step.swapped == 1);
          step.swapped -= untold;
        },
        nullptr);
    play(engines().front(), server, requests, std::nullopt, {&tampering});
    return tampering.checker.violation();
  };
  CHECK(violation(10, 0) == "");
  CHECK(violation(0, 0) != "");
  CHECK(violation(10, 1) != "");
}

TEST_CASE("the checker counts a session from its first turn to its last, and others while they are there") {
  const ShapeCost cost;
  const ServerConfig server = server_of(16, 4, cost);
  // Two turns with ten seconds of thinking between them, and one who stands alone.
  const auto violation = [&](std::int64_t places, std::chrono::seconds alone_arrives) {
    std::vector<Request> requests{
        {0, "A", Time{}, 6, 2, 2, 0}, {1, "B", Time{}, 6, 2, 2, 0}, {2, "C", Time(alone_arrives), 6, 2, 2, 0}};
    requests[0].session = requests[1].session = "talk";
    requests[0].turn = 1;
    requests[1].turn = 2;
    requests[1].think_time = std::chrono::seconds(10);
    InvariantChecker checker(server, places);
    play(engines().front(), server, requests, std::nullopt, {&checker});
    return checker.violation();
  };
  CHECK(violation(1, std::chrono::seconds(20)) == "");
  CHECK(violation(1, std::chrono::seconds(5)) != "");  // while they think, with nobody else there
  CHECK(violation(2, std::chrono::seconds(5)) == "");
  CHECK(violation(1, std::chrono::seconds(0)) != "");
}

TEST_CASE("the checker notices every wrong fact about a request") {
  const std::vector<ChangeEnd> changes{
      [](RequestFacts& facts) { facts.output_tokens -= 1; },
      [](RequestFacts& facts) { facts.preemptions += 1; },
      [](RequestFacts& facts) { facts.recomputed_tokens -= 1; },
      [](RequestFacts& facts) { facts.scheduled += Duration(1); },
      [](RequestFacts& facts) { facts.first_token += Duration(1); },
      [](RequestFacts& facts) { facts.ended += Duration(1); },
      [](RequestFacts& facts) { facts.outcome = Outcome::cancelled; },
      [](RequestFacts& facts) { facts.outcome = Outcome::rejected; },
      [](RequestFacts& facts) { facts.reason = "for no reason"; },
  };
  for (std::size_t i = 0; i < changes.size(); ++i) {
    CAPTURE(i);
    CHECK(violation(0, nullptr, changes[i]) != "");
  }
}

}  // namespace decodesim::tests
