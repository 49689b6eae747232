// TensorRT-LLM's worked example, pass by pass, under each of its capacity rules, on both engines.

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/support/every_engine.hpp"
#include "tests/support/requests.hpp"

namespace decodesim::tests {

namespace {

ServerConfig server(const char* engine, std::int64_t blocks, std::int64_t block_size, std::int64_t budget) {
  ServerConfig config = server_on_seconds(blocks, block_size);
  config.scheduler.engine = engine;
  config.scheduler.max_num_batched_tokens = budget;
  config.scheduler.max_num_seqs = 4;
  config.scheduler.trtllm.enable_block_reuse = false;
  return config;
}

/// A request whose prompt is what all of these begin with.
Request beginning_alike(const char* id, std::int64_t input, std::int64_t output) {
  Request made = request(0, id, input, output);
  made.content = {{1, input}};
  return made;
}

}  // namespace

TEST_CASE("GUARANTEED_NO_EVICT reserves what was asked for, so two wait while one runs alone") {
  on_every_engine(server("trtllm-guaranteed-no-evict", 5, 4, 32), three_growing(), [](const ScheduleTable& table) {
    CHECK(table.text() ==
          "1 | A6 | | 3 | | B C\n"
          "2 | A1 | | 3 | | B C\n"
          "3 | A1 | | 3 | | B C\n"
          "4 | A1 | | 2 | | B C\n"
          "5 | A1 | | 2 | | B C\n"
          "6 | A1 | | 2 | | B C\n"
          "7 | A1 | | 2 | A | B C\n"
          "8 | B5 C3 | | 2 | |\n"
          "9 | B1 C1 | | 2 | |\n"
          "10 | B1 C1 | | 1 | |\n"
          "11 | B1 C1 | | 1 | |\n"
          "12 | B1 C1 | | 0 | C |\n"
          "13 | B1 | | 2 | B |\n");
  });
}

TEST_CASE("MAX_UTILIZATION starts all three and pauses the last of the list that started") {
  on_every_engine(server("trtllm-max-utilization", 5, 4, 32), three_growing(), [](const ScheduleTable& table) {
    CHECK(table.text() ==
          "1 | A6 B5 C3 | | 0 | |\n"
          "2 | A1 B1 C1 | | 0 | |\n"
          "3 | A1 B1 | C | 1 | | C\n"
          "4 | A1 B1 | | 0 | | C\n"
          "5 | A1 | B | 2 | | B C\n"
          "6 | A1 | | 2 | | B C\n"
          "7 | A1 | | 2 | A | B C\n"
          "8 | B9 C5 | | 0 | |\n"
          "9 | B1 C1 | | 0 | B |\n"
          "10 | C1 | | 3 | C |\n");
  });
}

TEST_CASE("STATIC_BATCH lets nobody in until the batch is over") {
  const std::vector<Request> requests{request(0, "A", 4, 2), request(1, "B", 4, 4), request(2, "C", 4, 2, 1)};
  on_every_engine(server("trtllm-static-batch", 20, 4, 32), requests, [](const ScheduleTable& table) {
    CHECK(table.text() ==
          "1 | A4 B4 | | 18 | |\n"
          "2 | A1 B1 | | 16 | A | C\n"
          "3 | B1 | | 18 | | C\n"
          "4 | B1 | | 18 | B | C\n"
          "5 | C4 | | 19 | |\n"
          "6 | C1 | | 18 | C |\n");
  });
}

TEST_CASE("a more urgent newcomer takes the place of who runs, though memory is ample") {
  ServerConfig config = server("trtllm-max-utilization", 20, 4, 32);
  config.scheduler.max_num_seqs = 2;
  const std::vector<Request> requests{request(0, "A", 4, 4, 0, 1), request(1, "B", 4, 4, 0, 1),
                                      request(2, "C", 4, 2, 1, 0)};
  on_every_engine(config, requests, [](const ScheduleTable& table) {
    CHECK(table.text() ==
          "1 | A4 B4 | | 18 | |\n"
          "2 | C4 A1 | B | 17 | | B\n"
          "3 | C1 A1 | | 16 | C | B\n"
          "4 | A1 B5 | | 16 | A |\n"
          "5 | B1 | | 18 | |\n"
          "6 | B1 | | 18 | B |\n");
  });
}

TEST_CASE("where max_batch_size is below those that hold memory, the last of the list wait their turn") {
  ServerConfig config = server("trtllm-max-utilization", 20, 4, 32);
  config.scheduler.trtllm.max_batch_size = 1;
  const std::vector<Request> requests{request(0, "B", 4, 3, 0, 1), request(1, "A", 4, 3, 1, 0)};
  on_every_engine(config, requests, [](const ScheduleTable& table) {
    CHECK(table.text() ==
          "1 | B4 | | 19 | |\n"
          "2 | A4 | | 18 | |\n"
          "3 | A1 | | 17 | |\n"
          "4 | A1 | | 17 | A |\n"
          "5 | B1 | | 18 | |\n"
          "6 | B1 | | 18 | B |\n");
  });
}

TEST_CASE(
    "a request is put off for what another fills next, also where a victim of the pass leaves the block before it") {
  // All but G begin alike. Pass 2: G needs a block, and A, which reads nothing from the cache, is paused and leaves its first
  // block to be found. D would fill the second, and that is what C fills next, be it before G in the list or behind it.
  const Request c = beginning_alike("C", 8, 1);
  const Request g = request(0, "G", 2, 4);
  for (std::vector<Request> requests : {std::vector{c, g}, std::vector{g, c}}) {
    requests.push_back(beginning_alike("D", 6, 1));
    requests.push_back(beginning_alike("A", 8, 1));
    requests.back().no_prefix_read = true;
    for (std::size_t i = 0; i < requests.size(); ++i) requests[i].index = static_cast<std::int64_t>(i);
    ServerConfig config = server("trtllm-max-utilization", 9, 2, 8);
    config.scheduler.trtllm.enable_block_reuse = true;
    config.scheduler.trtllm.context_chunking_policy = ChunkPolicy::force_chunk;
    on_every_engine(config, requests, [&](const ScheduleTable& table) {
      CHECK(table.rows()[0].waiting == "D");
      CHECK(table.rows()[1].preempted == "A");
      CHECK(table.rows()[1].free_blocks == 3);  // so many as D needs
      CHECK(table.rows()[1].waiting == "D A");
      CHECK(table.rows()[4].scheduled == "D1 A2");
      CHECK(table.rows()[4].found == "D5");
    });
  }
}

TEST_CASE("the first chunk takes the blocks of the whole prompt") {
  ServerConfig config = server("trtllm-max-utilization", 6, 4, 8);
  config.scheduler.trtllm.context_chunking_policy = ChunkPolicy::first_come_first_served;
  const std::vector<Request> requests{request(0, "A", 16, 2), request(1, "B", 12, 1)};
  on_every_engine(config, requests, [](const ScheduleTable& table) {
    CHECK(table.text() ==
          "1 | A8 | | 2 | | B\n"
          "2 | A8 | | 2 | | B\n"
          "3 | A1 | | 1 | A | B\n"
          "4 | B8 | | 3 | |\n"
          "5 | B4 | | 3 | B |\n");
  });
}

}  // namespace decodesim::tests
