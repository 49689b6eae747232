// Small cases of vLLM's prefix cache, whose schedules its own scheduler was seen to make, on both engines.

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/support/every_engine.hpp"
#include "tests/support/requests.hpp"

namespace decodesim::tests {

namespace {

ServerConfig server(std::int64_t usable, std::int64_t block_size, std::int64_t budget) {
  ServerConfig config = vllm_v1_on_seconds(usable, block_size, budget);
  config.prefix_caching = true;
  config.scheduler.max_num_seqs = 4;
  return config;
}

/// A request of which the first `shared` tokens are those that all of these begin with.
Request sharing(std::int64_t index, const char* id, std::int64_t input, std::int64_t output, std::int64_t shared,
                std::int64_t arrival_s = 0) {
  Request made{index, id, Time(std::chrono::seconds(arrival_s)), input, output, output, 0};
  if (shared > 0) made.content = {{1, shared}};
  return made;
}

/// Adds up what was found.
class Findings : public Observer {
 public:
  void step(const StepFacts& facts) override {
    found += facts.found_tokens;
    found_again += facts.found_again_tokens;
    evicted += facts.cached_blocks_evicted;
    recomputed += facts.recomputed_tokens;
  }
  void ended(const RequestFacts& facts) override {
    by_request += facts.request->id + ":" + std::to_string(facts.found_tokens) + "+" +
                  std::to_string(facts.found_again_tokens) + " ";
  }
  std::int64_t found = 0;
  std::int64_t found_again = 0;
  std::int64_t evicted = 0;
  std::int64_t recomputed = 0;
  std::string by_request;
};

const std::vector<Request> three_that_share{sharing(0, "A", 10, 2, 8), sharing(1, "B", 10, 2, 8),
                                            sharing(2, "C", 8, 2, 8, 3)};

}  // namespace

TEST_CASE("who was evicted finds its full blocks again and computes only the rest") {
  const std::vector<Request> requests = three_growing();
  watch_every_engine<ScheduleTable, Findings>(server(5, 4, 16), requests,
                                              [](const ScheduleTable& table, const Findings& findings) {
                                                CHECK(table.text() ==
                                                      "1 | A6 B5 C3 | | 0 | |\n"
                                                      "2 | A1 B1 C1 | | 0 | |\n"
                                                      "3 | A1 B1 | C | 1 | | C\n"
                                                      "4 | A1 B1 | | 0 | | C\n"
                                                      "5 | A1 | B | 2 | | B C\n"
                                                      "6 | A1 | | 2 | | B C\n"
                                                      "7 | A1 | | 2 | A | B C\n"
                                                      "8 | B1 C5 | | 0 | |\n"
                                                      "9 | B1 C1 | | 0 | B |\n"
                                                      "10 | C1 | | 3 | C |\n");
                                                CHECK(table.rows()[7].found == "B8");
                                                CHECK(findings.found == 0);
                                                CHECK(findings.found_again == 8);
                                                CHECK(findings.recomputed == 4);  // C's, whose block was handed out
                                                CHECK(findings.by_request == "A:0+0 B:0+8 C:0+0 ");
                                              });
}

TEST_CASE(
    "a prompt shares blocks that were scheduled a moment before it, and a full hit computes its last block again") {
  watch_every_engine<ScheduleTable, Findings>(server(8, 4, 32), three_that_share,
                                              [](const ScheduleTable& table, const Findings& findings) {
                                                CHECK(table.text() ==
                                                      "1 | A10 B2 | | 4 | |\n"
                                                      "2 | A1 B1 | | 4 | A B |\n"
                                                      "3 | | | 8 | |\n"
                                                      "4 | C4 | | 6 | |\n"
                                                      "5 | C1 | | 5 | C |\n");
                                                CHECK(table.rows()[0].tables == "A[1,2,3] B[1,2,4]");
                                                CHECK(table.rows()[0].found == "B8");
                                                // B's block of its own had no hash, so it heads the queue.
                                                CHECK(table.rows()[3].tables == "C[1,4]");
                                                CHECK(table.rows()[3].found == "C4");
                                                CHECK(findings.found == 12);
                                                CHECK(findings.found_again == 0);
                                              });
}

TEST_CASE(
    "a victim that has tokens of this pass leaves its new blocks to be found, though nothing was computed into them") {
  // As vLLM itself does. Pass 2: A is given 8 tokens and the blocks 4 and 5, then B needs a block, and A has the most. B
  // takes 5; A comes back and finds 12 tokens, of which it had computed 8.
  ServerConfig config = server(5, 4, 16);
  config.scheduler.policies.victim = "most-reclaimable-blocks";
  config.scheduler.long_prefill_token_threshold = 8;
  const std::vector<Request> requests{request(0, "A", 20, 1), request(1, "B", 4, 2)};
  watch_every_engine<ScheduleTable, Findings>(config, requests,
                                              [](const ScheduleTable& table, const Findings& findings) {
                                                CHECK(table.text() ==
                                                      "1 | A8 B4 | | 2 | |\n"
                                                      "2 | B1 | A | 3 | B | A\n"
                                                      "3 | A8 | | 0 | A |\n");
                                                CHECK(table.rows()[1].hashed == "1,2,3,4");
                                                CHECK(table.rows()[2].found == "A12");
                                                CHECK(table.rows()[2].tables == "A[1,2,4,5,3]");
                                                CHECK(findings.by_request == "B:0+0 A:4+8 ");
                                              });
}

TEST_CASE("where freed blocks all go to the tail the full hit takes a block that was never used") {
  ServerConfig config = server(8, 4, 32);
  config.uncached_free_to_front = false;
  watch_every_engine<ScheduleTable, Findings>(config, three_that_share,
                                              [](const ScheduleTable& table, const Findings&) {
                                                CHECK(table.rows()[3].tables == "C[1,5]");
                                                CHECK(table.rows()[3].found == "C4");
                                              });
}

TEST_CASE("requests of another salt find nothing, and those of one salt find each other's blocks") {
  std::vector<Request> requests = three_that_share;
  requests[0].cache_salt = "x";
  requests[2].cache_salt = "x";
  watch_every_engine<ScheduleTable, Findings>(server(8, 4, 32), requests,
                                              [](const ScheduleTable& table, const Findings& findings) {
                                                CHECK(table.rows()[0].scheduled == "A10 B10");
                                                CHECK(table.rows()[3].found == "C4");
                                                CHECK(findings.found == 4);
                                              });
}

TEST_CASE("who wants log-probabilities of its prompt reads nothing from the cache and writes to it") {
  std::vector<Request> requests = three_that_share;
  requests[0].no_prefix_read = true;
  requests[1].no_prefix_read = true;
  watch_every_engine<ScheduleTable, Findings>(server(8, 4, 32), requests,
                                              [](const ScheduleTable& table, const Findings& findings) {
                                                CHECK(table.rows()[0].scheduled == "A10 B10");
                                                CHECK(table.rows()[0].tables == "A[1,2,3] B[4,5,6]");
                                                CHECK(table.rows()[3].found == "C4");
                                                CHECK(findings.found == 4);
                                              });
}

TEST_CASE("a later turn that names the turn before finds what that one generated, wherever KV is found again") {
  std::vector<Request> turns{sharing(0, "A", 8, 5, 4), sharing(1, "B", 14, 2, 4, 20)};
  turns[1].content.push_back({own_run_key(0), 8});  // 4 tokens of A's prompt and 4 that it generated
  for (const char* engine : {"vllm-v1", "sglang", "trtllm-guaranteed-no-evict"}) {
    CAPTURE(engine);
    ServerConfig config = server_on_seconds(20, 4);
    config.prefix_caching = std::string(engine) == "vllm-v1";
    config.scheduler.engine = engine;
    watch_every_engine<ScheduleTable, Findings>(config, turns, [](const ScheduleTable&, const Findings& findings) {
      CHECK(findings.by_request == "A:0+0 B:12+0 ");
    });
  }
}

}  // namespace decodesim::tests
