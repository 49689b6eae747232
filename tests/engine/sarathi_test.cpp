// Schedules of Sarathi-Serve, worked out pass by pass, on both engines.

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/support/every_engine.hpp"
#include "tests/support/requests.hpp"

namespace decodesim::tests {

namespace {

ServerConfig server(std::int64_t blocks, std::int64_t chunk) {
  ServerConfig config = server_on_seconds(blocks, 4);
  config.scheduler.engine = "sarathi";
  config.scheduler.max_num_seqs = 4;
  config.scheduler.sarathi.chunk_size = chunk;
  return config;
}

}  // namespace

TEST_CASE("who decodes gets a token in every step, and chunks of prompts fill the rest") {
  const std::vector<Request> requests{request(0, "A", 4, 4), request(1, "B", 8, 2, 1), request(2, "C", 8, 2, 2),
                                      request(3, "D", 8, 2, 2)};
  on_every_engine(server(20, 8), requests, [](const ScheduleTable& table) {
    std::string scheduled;
    for (const ScheduleRow& row : table.rows()) {
      scheduled += row.scheduled + (row.finished.empty() ? "" : " (" + row.finished + ")") + "; ";
    }
    CHECK(scheduled == "A4; A1 B7; A1 B1 C6; A1 B1 C2 D4 (A B); C1 D4 (C); D1 (D); ");
  });
}

TEST_CASE("in turn, chunks of prompts and tokens never share a step") {
  ServerConfig config = server(20, 8);
  config.scheduler.sarathi.batching = SarathiBatching::in_turn;
  const auto scheduled = [](const ScheduleTable& table) {
    std::string all;
    for (const ScheduleRow& row : table.rows()) all += row.scheduled + "; ";
    return all;
  };
  const std::vector<Request> requests{request(0, "A", 4, 4), request(1, "B", 8, 2, 1), request(2, "C", 8, 2, 2),
                                      request(3, "D", 8, 2, 2)};
  on_every_engine(config, requests, [&](const ScheduleTable& table) {
    CHECK(scheduled(table) == "A4; A1; B8; A1 B1; C8; A1 C1; D8; D1; ");
  });
  // A prompt that runs goes alone before one that waits, though the chunk has room for both; a turn without prompts is taken
  // by who decodes.
  on_every_engine(
      config, {request(0, "A", 2, 6), request(1, "B", 12, 2, 1), request(2, "C", 2, 2, 2)},
      [&](const ScheduleTable& table) { CHECK(scheduled(table) == "A2; A1; B8; A1; B4; A1 B1; C2; A1 C1; A1; "); });
  // On a grid a turn without anybody is a pass all the same, and elsewhere it takes no time.
  on_every_engine(config, {request(0, "A", 20, 2)},
                  [&](const ScheduleTable& table) { CHECK(scheduled(table) == "A8; ; A8; ; A4; A1; "); });
}

TEST_CASE("a prompt takes all its blocks when it is admitted, whatever its first chunk") {
  on_every_engine(server(20, 8), {request(0, "A", 30, 2)}, [](const ScheduleTable& table) {
    REQUIRE(table.rows().size() == 5);
    CHECK(table.rows()[0].scheduled == "A8");
    CHECK(table.rows()[0].free_blocks == 12);
    CHECK(table.rows()[3].free_blocks == 12);
  });
}

TEST_CASE("a victim may come back in the pass that evicted it") {
  // A wants a free block though it needs none: B goes, and its four tokens fit again at once, its five do not.
  on_every_engine(server(3, 64), {request(0, "A", 6, 3), request(1, "B", 3, 3)}, [](const ScheduleTable& table) {
    CHECK(table.text() ==
          "1 | A6 B3 | | 0 | |\n"
          "2 | A1 B4 | B | 0 | |\n"
          "3 | A1 | B | 1 | A | B\n"
          "4 | B5 | | 1 | B |\n");
  });
}

TEST_CASE("chunks shrink in stages while a prompt proceeds") {
  ServerConfig config = server(200, 0);
  SarathiKnobs& own = config.scheduler.sarathi;
  own.chunk_schedule = ChunkSchedule::linear;
  own.chunk_size_high = 128;
  own.chunk_size_low = 32;
  own.chunk_schedule_tokens = 400;
  own.chunk_schedule_stages = 4;
  on_every_engine(config, {request(0, "A", 500, 1)}, [](const ScheduleTable& table) {
    std::string scheduled;
    for (const ScheduleRow& row : table.rows()) scheduled += row.scheduled + " ";
    // Four stages of 100 tokens: 128, 96, 64, 32; what is beyond them stays in the last.
    CHECK(scheduled == "A128 A96 A64 A64 A32 A32 A32 A32 A20 ");
  });
}

TEST_CASE("decodes alone may pass the chunk, and then no prompt is admitted") {
  const std::vector<Request> requests{request(0, "A", 1, 4), request(1, "B", 1, 4), request(2, "C", 1, 2, 1)};
  on_every_engine(server(20, 2), requests, [](const ScheduleTable& table) {
    CHECK(table.text(3) ==
          "1 | A1 B1 | | 18 | |\n"
          "2 | A1 B1 | | 18 | | C\n"
          "3 | A1 B1 | | 18 | | C\n");
  });
}

}  // namespace decodesim::tests
