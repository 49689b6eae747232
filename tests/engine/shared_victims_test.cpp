// Victims that share their blocks, that are over or that lose a token, on both engines.

#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <vector>

#include "tests/support/every_engine.hpp"
#include "tests/support/requests.hpp"

namespace decodesim::tests {

namespace {

/// Blocks of four tokens that can be found again, and one of the victim rules.
ServerConfig server(std::int64_t usable, const char* victim) {
  ServerConfig config = vllm_v1_on_seconds(usable, 4, 32);
  config.prefix_caching = true;
  config.scheduler.max_num_seqs = 8;
  config.scheduler.policies.victim = victim;
  return config;
}

/// It begins with the same eight tokens as others.
Request sharing(std::int64_t index, const char* id, std::int64_t input, std::int64_t output,
                std::int64_t arrival_s = 0) {
  Request made = request(index, id, input, output, arrival_s);
  made.content = {{1, 8}};
  return made;
}

class Lost : public Observer {
 public:
  void step(const StepFacts& facts) override { blocks += facts.cached_blocks_evicted; }
  std::int64_t blocks = 0;  // whose KV could still have been found
};

}  // namespace

TEST_CASE("blocks that wait to be free belong to nobody: who shares them with a request that is over loses them all") {
  ServerConfig config = server(6, "most-reclaimable-blocks");
  config.scheduler.async = true;
  config.scheduler.defer_frees = true;
  // A stops by itself with pass 2 and is served once more, so its blocks wait for the end of pass 3, and are free after
  // pass 4 is planned. There C needs a block. B's three are free with A's, C has two.
  std::vector<Request> requests{sharing(0, "A", 9, 2), sharing(1, "B", 9, 9), request(2, "C", 6, 9)};
  requests[0].max_tokens = 9;
  on_every_engine(config, requests, [](const ScheduleTable& table) {
    CHECK(table.rows()[0].tables == "A[1,2,3] B[1,2,4] C[5,6]");
    CHECK(table.text(4) ==
          "1 | A9 B1 C6 | | 0 | |\n"
          "2 | A1 B1 C1 | | 0 | |\n"
          "3 | A1 B1 C1 | | 0 | A |\n"
          "4 | | B C | 0 | | C B\n");
  });
}

TEST_CASE("blocks of who loads are not free with the victim that shares them") {
  ServerConfig config = server(6, "most-reclaimable-blocks");
  config.scheduler.reserve_full_isl = false;
  // D holds the blocks 1 and 2 with B while the rest of its prompt comes. In pass 4 C needs a block: B alone holds one, C two.
  std::vector<Request> requests{sharing(0, "B", 9, 4), request(1, "C", 6, 9), sharing(2, "D", 13, 2, 1)};
  requests[2].remote_tokens = 12;
  requests[2].load_time = std::chrono::seconds(10);
  on_every_engine(config, requests, [](const ScheduleTable& table) {
    CHECK(table.rows()[1].held == "D[1,2,6]");
    CHECK(table.text(4) ==
          "1 | B9 C6 | | 1 | |\n"
          "2 | B1 C1 | | 0 | | D\n"
          "3 | B1 C1 | | 0 | | D\n"
          "4 | B1 | C | 2 | B | D C\n");
  });
}

TEST_CASE("what the last token of a victim fills is not found where the pass that evicts it does not serve it") {
  ServerConfig config = server(3, "least-recompute");
  config.scheduler.async = true;
  // A's block is full with pass 2, which yields its last token: pass 3 knows that it is not to be served again. There B needs
  // a block, and takes A's, which nobody could have found yet.
  const std::vector<Request> requests{request(0, "A", 3, 2), request(1, "B", 7, 4)};
  watch_every_engine<ScheduleTable, Lost>(config, requests, [](const ScheduleTable& table, const Lost& lost) {
    CHECK(table.rows()[2].tables == "B[2,3,1]");
    CHECK(table.text(3) ==
          "1 | A3 B7 | | 0 | |\n"
          "2 | A1 B1 | | 0 | |\n"
          "3 | B1 | A | 0 | A |\n");
    CHECK(lost.blocks == 0);
  });
}

TEST_CASE("what the last token of a victim fills is found where the pass served it before it evicts it") {
  ServerConfig config = server(4, "least-recompute");
  config.scheduler.async = true;
  // As before, but A stops unforeseen: pass 3 serves it once more, with block 4, and then takes that back for B.
  std::vector<Request> requests{request(0, "A", 3, 2), request(1, "B", 7, 4)};
  requests[0].max_tokens = 9;
  watch_every_engine<ScheduleTable, Lost>(config, requests, [](const ScheduleTable& table, const Lost& lost) {
    CHECK(table.rows()[2].scheduled == "B1");
    CHECK(table.rows()[2].preempted == "A");
    CHECK(table.rows()[2].tables == "B[2,3,4]");
    CHECK(table.rows()[2].hashed == "1,2,3");
    CHECK(lost.blocks == 0);
  });
}

TEST_CASE("a token that a victim loses is taken off what its tenant got") {
  ServerConfig config = server(3, "last-admitted");
  config.scheduler.async = config.scheduler.drop_in_flight = true;
  config.scheduler.max_num_seqs = 3;
  config.scheduler.policies.queue_order = "fair";
  config.scheduler.fair.input_price = 0;
  config.scheduler.fair.output_price = 1;
  // Pass 3 evicts B with its second token under way. Of two tokens Carl's and one Bert's, Bert is next.
  std::vector<Request> requests{request(0, "K", 1, 2), request(1, "A", 3, 9), request(2, "B", 3, 9),
                                request(3, "C", 3, 9, 1)};
  requests[0].tenant = requests[3].tenant = "carl";
  requests[1].tenant = "anna";
  requests[2].tenant = "bert";
  on_every_engine(config, requests, [](const ScheduleTable& table) {
    CHECK(table.rows()[2].preempted == "B");
    CHECK(table.rows()[3].scheduled == "A1 B4");
  });
}

}  // namespace decodesim::tests
