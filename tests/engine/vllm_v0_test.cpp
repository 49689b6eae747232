// Schedules of vLLM V0, worked out pass by pass, on both engines.

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/support/every_engine.hpp"
#include "tests/support/requests.hpp"

namespace decodesim::tests {

namespace {

ServerConfig server(std::int64_t blocks, std::int64_t block_size, std::int64_t budget) {
  ServerConfig config = server_on_seconds(blocks, block_size);
  config.host_blocks = 100;
  config.scheduler.engine = "vllm-v0";
  config.scheduler.enable_chunked_prefill = false;
  config.scheduler.max_num_batched_tokens = budget;
  config.scheduler.max_num_seqs = 4;
  return config;
}

}  // namespace

TEST_CASE("prompts run first and stall who decodes, so a short pool thrashes more than under vLLM V1") {
  on_every_engine(server(5, 4, 32), three_growing(), [](const ScheduleTable& table) {
    CHECK(table.text() ==
          "1 | A6 B5 C3 | | 0 | |\n"
          "2 | A1 B1 | C | 1 | | C\n"
          "3 | C4 | | 0 | |\n"
          "4 | A1 B1 | C | 1 | | C\n"
          "5 | A1 | B | 2 | | B C\n"
          "6 | B8 | | 0 | | C\n"
          "7 | A1 | B | 2 | | B C\n"
          "8 | A1 | | 2 | | B C\n"
          "9 | A1 | | 2 | A | B C\n"
          "10 | B9 C5 | | 0 | |\n"
          "11 | B1 | C | 2 | B | C\n"
          "12 | C6 | | 3 | |\n"
          "13 | C1 | | 3 | C |\n");
  });
}

TEST_CASE("who is swapped comes back with its tokens, before anybody is admitted and never beside an eviction") {
  ServerConfig config = server(5, 4, 32);
  config.scheduler.vllm_v0.preemption_mode = PreemptionMode::swap;
  on_every_engine(config, three_growing(), [](const ScheduleTable& table) {
    CHECK(table.text() ==
          "1 | A6 B5 C3 | | 0 | |\n"
          "2 | A1 B1 | C | 1 | |\n"
          "3 | A1 B1 | | 1 | |\n"
          "4 | A1 | B | 2 | |\n"
          "5 | A1 | | 2 | |\n"
          "6 | A1 | | 2 | |\n"
          "7 | A1 | | 2 | A |\n"
          "8 | B1 C1 | | 2 | |\n"
          "9 | B1 C1 | | 0 | |\n"
          "10 | B1 | C | 2 | B |\n"
          "11 | C1 | | 3 | |\n"
          "12 | C1 | | 3 | C |\n");
  });
}

TEST_CASE("a stream of prompts stalls a generation for as long as it lasts") {
  const std::vector<Request> requests{request(0, "A", 4, 4), request(1, "B", 8, 2, 1), request(2, "C", 8, 2, 2),
                                      request(3, "D", 8, 2, 2)};
  on_every_engine(server(20, 4, 8), requests, [](const ScheduleTable& table) {
    std::string scheduled;
    for (const ScheduleRow& row : table.rows()) scheduled += row.scheduled + "; ";
    CHECK(scheduled == "A4; B8; C8; D8; A1 B1 C1 D1; A1; A1; ");
  });
}

TEST_CASE("a host without room makes a victim compute its KV again after all") {
  ServerConfig config = server(5, 4, 32);
  config.scheduler.vllm_v0.preemption_mode = PreemptionMode::swap;
  config.host_blocks = 1;
  on_every_engine(config, three_growing(), [](const ScheduleTable& table) {
    REQUIRE(table.rows().size() > 4);
    CHECK(table.rows()[1].preempted == "C");
    CHECK(table.rows()[1].waiting == "");
    CHECK(table.rows()[3].preempted == "B");
    CHECK(table.rows()[3].waiting == "B");
  });
}

TEST_CASE("the exact check asks for a block only where a token starts one") {
  ServerConfig config = server(5, 4, 32);
  config.scheduler.vllm_v0.append_check = AppendCheck::exact;
  on_every_engine(config, three_growing(), [](const ScheduleTable& table) {
    CHECK(table.text(4) ==
          "1 | A6 B5 C3 | | 0 | |\n"
          "2 | A1 B1 C1 | | 0 | |\n"
          "3 | A1 B1 | C | 1 | | C\n"
          "4 | A1 B1 | | 0 | | C\n");
  });
}

TEST_CASE(
    "a prompt that leaves less than the watermark of an empty pool is ignored, and who comes behind it is served") {
  ServerConfig config = server(10, 4, 64);
  config.scheduler.watermark = 0.2;
  config.scheduler.never_fits = NeverFits::hang;
  on_every_engine(config, {request(0, "X", 33, 2), request(1, "Y", 32, 2)}, [](const ScheduleTable& table) {
    CHECK(table.endings() == "X cancelled (never fits the KV pool) at 1 s\nY completed at 2 s\n");
  });
}

TEST_CASE("a prompt beyond the budget is ignored where prompts are not cut") {
  ServerConfig config = server(20, 4, 8);
  config.scheduler.never_fits = NeverFits::hang;
  on_every_engine(config, {request(0, "X", 9, 2), request(1, "Y", 8, 2)}, [](const ScheduleTable& table) {
    CHECK(table.endings() ==
          "X cancelled (more tokens than the engine takes as a prompt) at 1 s\nY completed at 2 s\n");
  });
}

TEST_CASE("with a delay factor prompts gather while something runs, until the oldest waited long enough") {
  ServerConfig config = server(40, 4, 64);
  config.scheduler.vllm_v0.delay_factor = 2;
  const std::vector<Request> requests{request(0, "A", 4, 8), request(1, "B", 4, 2, 1), request(2, "C", 4, 2, 3)};
  on_every_engine(config, requests, [](const ScheduleTable& table) {
    std::string scheduled;
    for (const ScheduleRow& row : table.rows()) scheduled += row.scheduled + "; ";
    // B came at 1 s: at 3 s it has waited two steps, which is not more than two; at 4 s it goes, and C is held in turn.
    CHECK(scheduled == "A4; A1; A1; A1; B4; A1 B1; C4; A1 C1; A1; A1; ");
  });
}

TEST_CASE("with chunked prefill decodes go first, a victim waits a pass, and others are admitted in its place") {
  ServerConfig config = server(6, 4, 8);
  config.scheduler.enable_chunked_prefill = true;
  const std::vector<Request> requests{request(0, "A", 8, 4), request(1, "B", 11, 2), request(2, "C", 2, 2, 2)};
  on_every_engine(config, requests, [](const ScheduleTable& table) {
    CHECK(table.text(4) ==
          "1 | A8 | | 4 | | B\n"
          "2 | A1 B7 | | 0 | |\n"
          "3 | A1 C2 | B | 2 | | B\n"
          "4 | A1 C1 | | 2 | A C | B\n");
  });
}

TEST_CASE(
    "who is given up in one pass is told in the order of its decisions: the queue first, where prompts come first") {
  // A fills the pool after five tokens and evicts itself in the pass in which B, whose prompt no step takes, is looked at.
  ServerConfig config = server(3, 4, 8);
  config.scheduler.never_fits = NeverFits::fail_after;
  config.scheduler.fail_after = 1;
  class Ends : public Observer {
   public:
    void ended(const RequestFacts& facts) override {
      text += facts.request->id + ": " + std::string(facts.reason) + ", ";
      same_time = same_time && (last < Time{} || last == facts.ended);
      last = facts.ended;
    }
    std::string text;
    Time last{Duration(-1)};
    bool same_time = true;
  };
  const std::vector<Request> requests{request(0, "A", 4, 10), request(1, "B", 20, 2, 6)};
  watch_every_engine<Ends>(config, requests, [](const Ends& ends) {
    CHECK(ends.text == "B: more tokens than the engine takes as a prompt, A: preempted itself too often, ");
    CHECK(ends.same_time);
  });
}

}  // namespace decodesim::tests
