// Schedules of the policies that rank all requests anew in every pass, as they were worked out by hand: what runs, pass by pass, on both engines.

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/support/draws.hpp"
#include "tests/support/every_engine.hpp"
#include "tests/support/invariants.hpp"
#include "tests/support/requests.hpp"

namespace decodesim::tests {

namespace {

using std::chrono::seconds;

/// A prompt takes a second a token, and a pass that only decodes takes ten.
class PromptCost final : public CostModel {
 public:
  [[nodiscard]] Ledger price(const StepShape& shape) const override {
    Ledger ledger;
    if (shape.empty()) return ledger;
    ledger.spend(TimePart::linear, BoundBy::compute, shape.chunks > 0 ? shape.chunk_tokens * seconds(1) : seconds(10));
    return ledger;
  }
};
const PromptCost prompt_cost;

ServerConfig server(const char* engine, std::int64_t places) {
  ServerConfig config = server_on_seconds(1000, 4);
  config.scheduler.engine = engine;
  config.scheduler.max_num_seqs = places;
  config.scheduler.max_num_batched_tokens = 1000;
  return config;
}

/// Who got tokens in each pass: "A35 B8 A1".
std::string served(const ScheduleTable& table) {
  std::string line;
  for (const ScheduleRow& row : table.rows()) line += (line.empty() ? "" : " | ") + row.scheduled;
  return line;
}

}  // namespace

TEST_CASE("a request skips the levels that its prompt would use up, and falls when its time at a level is over") {
  // G19, with seconds for milliseconds.
  ServerConfig config = server("mlfq", 1);
  config.grid_step = Duration(0);
  config.cost = &prompt_cost;
  config.scheduler.mlfq.quantum = seconds(10);
  const std::vector<Request> requests{request(0, "A", 35, 4, 0), request(1, "B", 8, 2, 5), request(2, "C", 15, 1, 6)};
  on_every_engine(config, requests, [](const ScheduleTable& table) {
    CHECK(served(table) == "A35 | B8 | B1 | C15 | A1 | A1 | A1");
    CHECK(table.endings() == "B completed at 53 s\nC completed at 68 s\nA completed at 98 s\n");
  });
  // First come, first served, the same requests end at 65, 83 and 98.
  config.scheduler.engine = "vllm-v1";
  config.num_blocks += 1;
  on_every_engine(config, requests, [](const ScheduleTable& table) {
    CHECK(table.endings() == "A completed at 65 s\nB completed at 83 s\nC completed at 98 s\n");
  });
}

TEST_CASE("a request alone falls after its second and its seventh iteration") {
  // G19b: used 12, 22 of 20; then 10, 20, 30, 40, 50 of 40. The level shows in who goes first: a probe of one token that
  // comes while an iteration runs starts behind all of its own level and before all of the next.
  ServerConfig config = server("mlfq", 1);
  config.grid_step = Duration(0);
  config.cost = &prompt_cost;
  config.scheduler.mlfq.quantum = seconds(10);
  const auto probe_is_next = [&](std::int64_t iteration, std::int64_t prompt) {
    const std::int64_t during = iteration == 1 ? 5 : 12 + 10 * (iteration - 2) + 5;
    const std::vector<Request> requests{request(0, "A", 12, 30, 0), request(1, "P", prompt, 1, during)};
    bool next = false;
    on_every_engine(config, requests, [&](const ScheduleTable& table) {
      next = table.rows().at(static_cast<std::size_t>(iteration)).scheduled == "P" + std::to_string(prompt);
    });
    return next;
  };
  for (std::int64_t iteration = 1; iteration <= 10; ++iteration) {
    CAPTURE(iteration);
    CHECK(probe_is_next(iteration, 8));                       // level 0
    CHECK(probe_is_next(iteration, 20) == (iteration >= 2));  // level 1
    CHECK(probe_is_next(iteration, 40) == (iteration >= 7));  // level 2
    CHECK(!probe_is_next(iteration, 80));                     // level 3
  }
}

TEST_CASE("who has not run for long goes to the front of the first level") {
  ServerConfig config = server("mlfq", 1);
  config.scheduler.mlfq.quantum = seconds(1);
  config.scheduler.mlfq.starvation_limit = seconds(12);
  config.scheduler.mlfq.starvation_check = 10;
  // A falls to the second level after two passes; then a new request comes every second.
  std::vector<Request> requests{request(0, "A", 3, 6, 0)};
  for (std::int64_t i = 1; i <= 40; ++i) requests.push_back(request(i, "S", 2, 1, i));
  on_every_engine(config, requests, [](const ScheduleTable& table) {
    std::vector<std::int64_t> passes;
    for (const ScheduleRow& row : table.rows()) {
      if (row.scheduled[0] == 'A') passes.push_back(row.pass);
    }
    // A has run for more than its quantum of one second after its second pass, falls and waits from 2 s on. At 10 s it
    // has waited for 8 s, at 20 s for 18 s: it is lifted, runs twice, falls again, and so on.
    CHECK(passes == std::vector<std::int64_t>{1, 2, 21, 22, 41, 42});
  });
}

TEST_CASE("the shortest rest runs, whoever was first") {
  // G21.
  const std::vector<Request> requests{request(0, "A", 1, 5, 0), request(1, "B", 1, 2, 1), request(2, "C", 1, 1, 2)};
  on_every_engine(server("srpt", 1), requests, [](const ScheduleTable& table) {
    CHECK(served(table) == "A1 | B1 | B1 | C1 | A1 | A1 | A1 | A1");
    CHECK(table.endings() == "B completed at 3 s\nC completed at 4 s\nA completed at 8 s\n");
  });
  ServerConfig fcfs = server("vllm-v1", 1);
  fcfs.num_blocks += 1;
  on_every_engine(fcfs, requests, [](const ScheduleTable& table) {
    CHECK(table.endings() == "A completed at 5 s\nB completed at 7 s\nC completed at 8 s\n");
  });
}

TEST_CASE("without ageing short requests keep a long one out for ever, and with it they do not") {
  // G21b: half a token for each second.
  ServerConfig config = server("srpt", 1);
  std::vector<Request> requests{request(0, "A", 1, 10, 0)};
  for (std::int64_t i = 1; i <= 60; ++i) requests.push_back(request(i, "S", 1, 1, i));
  const auto passes_of_a = [](const ScheduleTable& table) {
    std::vector<std::int64_t> passes;
    for (const ScheduleRow& row : table.rows()) {
      if (row.scheduled == "A1") passes.push_back(row.pass);
    }
    return passes;
  };
  on_every_engine(config, requests, [&](const ScheduleTable& table) {
    const auto passes = passes_of_a(table);
    REQUIRE(passes.size() == 10);
    CHECK(passes[0] == 1);
    CHECK(passes[1] == 62);  // when nobody else is left
  });
  config.scheduler.ageing = seconds(2);
  on_every_engine(config, requests, [&](const ScheduleTable& table) {
    const auto passes = passes_of_a(table);
    REQUIRE(passes.size() == 10);
    CHECK(passes[0] == 1);
    CHECK(passes[1] == 19);  // at 18 s, when it has waited for 17: 9 - 8.5 < 1
    CHECK(passes[9] == 27);  // and on to its end
  });
}

TEST_CASE("a victim of srpt keeps its KV while there is room, and else computes it again") {
  const std::vector<Request> requests{request(0, "A", 8, 9, 0), request(1, "B", 8, 2, 1)};
  ServerConfig config = server("srpt", 1);
  config.num_blocks = config.usable_blocks = 5;
  on_every_engine(config, requests, [](const ScheduleTable& table) {
    CHECK(served(table) == "A8 | B8 | B1 | A1 | A1 | A1 | A1 | A1 | A1 | A1 | A1");
    for (const ScheduleRow& row : table.rows()) CHECK(row.preempted == "");
  });
  config.num_blocks = config.usable_blocks = 4;
  on_every_engine(config, requests, [](const ScheduleTable& table) {
    CHECK(served(table) == "A8 | B8 | B1 | A9 | A1 | A1 | A1 | A1 | A1 | A1 | A1");
    CHECK(table.rows()[2].preempted == "A");
  });
}

TEST_CASE("KV moves to the host ahead of need and comes back, but never both in one pass") {
  class Moves : public Observer {
   public:
    void step(const StepFacts& facts) override {
      out += facts.swapped_out_tokens > 0 ? 1 : 0;
      in += facts.swapped_in_tokens > 0 ? 1 : 0;
      both += facts.swapped_out_tokens > 0 && facts.swapped_in_tokens > 0 ? 1 : 0;
    }
    std::int64_t out = 0;
    std::int64_t in = 0;
    std::int64_t both = 0;
  };
  for (const Engine& engine : engines()) {
    CAPTURE(engine.name);
    Moves moves;
    for (std::uint64_t seed = 1; seed <= 150; ++seed) {
      Draws draws(seed);
      ServerConfig config = server("mlfq", draws.between(1, 4));
      config.num_blocks = config.usable_blocks = draws.between(12, 40);
      config.host_blocks = draws.between(0, 40);
      config.scheduler.mlfq.quantum = seconds(draws.between(1, 4));
      std::vector<Request> requests;
      for (std::int64_t i = 0; i < 20; ++i)
        requests.push_back(request(i, std::to_string(i), draws.between(1, 24), draws.between(1, 24), i));
      InvariantChecker invariants(config);
      play(engine, config, requests, std::nullopt, {&moves, &invariants});
      CHECK(invariants.violation() == "");
    }
    CHECK(moves.out > 100);
    CHECK(moves.in > 100);
    CHECK(moves.both == 0);
  }
}

}  // namespace decodesim::tests
