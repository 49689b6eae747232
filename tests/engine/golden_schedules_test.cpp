// Small cases whose schedule vLLM's own scheduler was seen to make, pass by pass, on both engines.

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/support/every_engine.hpp"
#include "tests/support/requests.hpp"

namespace decodesim::tests {

namespace {

/// A server on a grid of one second, of `usable` blocks and one more that vLLM keeps to itself.
ServerConfig server(std::int64_t usable, std::int64_t block_size, std::int64_t budget) {
  ServerConfig config = vllm_v1_on_seconds(usable, block_size, budget);
  config.scheduler.max_num_seqs = 4;
  return config;
}

std::int64_t count_preempting(const ScheduleTable& table, std::string& passes) {
  std::int64_t count = 0;
  for (const ScheduleRow& row : table.rows()) {
    if (row.preempted.empty()) continue;
    passes += (passes.empty() ? "" : " ") + std::to_string(row.pass);
    ++count;
  }
  return count;
}

}  // namespace

TEST_CASE("the last admitted is evicted first, and nothing is admitted in a pass that evicts") {
  const std::vector<Request> requests = three_growing();
  on_every_engine(server(5, 4, 16), requests, [](const ScheduleTable& table) {
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
    CHECK(table.endings() == "A completed at 7 s\nB completed at 9 s\nC completed at 10 s\n");
    CHECK(table.run().end == Time(std::chrono::seconds(10)));
  });
}

TEST_CASE("a chunk takes what the budget leaves, and a short prompt behind it waits for the rest") {
  const std::vector<Request> requests{request(0, "A", 4, 5), request(1, "L", 18, 2, 1), request(2, "S", 3, 2, 2)};
  on_every_engine(server(10, 4, 8), requests, [](const ScheduleTable& table) {
    CHECK(table.text() ==
          "1 | A4 | | 9 | |\n"
          "2 | A1 L7 | | 6 | |\n"
          "3 | A1 L7 | | 4 | | S\n"
          "4 | A1 L4 S3 | | 2 | |\n"
          "5 | A1 L1 S1 | | 2 | A L S |\n");
  });
}

TEST_CASE("a threshold on long prompts lets a short one pass beside them") {
  const std::vector<Request> requests{request(0, "A", 4, 5), request(1, "L", 18, 2, 1), request(2, "S", 3, 2, 2)};
  ServerConfig config = server(10, 4, 8);
  config.scheduler.long_prefill_token_threshold = 4;
  on_every_engine(config, requests, [](const ScheduleTable& table) {
    CHECK(table.text() ==
          "1 | A4 | | 9 | |\n"
          "2 | A1 L4 | | 7 | |\n"
          "3 | A1 L4 S3 | | 5 | |\n"
          "4 | A1 L4 S1 | | 4 | S |\n"
          "5 | A1 L4 | | 4 | A |\n"
          "6 | L2 | | 5 | |\n"
          "7 | L1 | | 5 | L |\n");
  });
}

TEST_CASE("admission by the first chunk alone thrashes a long prompt that does not fit") {
  const std::vector<Request> requests{request(0, "A", 8, 14), request(1, "L", 24, 2, 1)};
  ServerConfig config = server(8, 4, 8);
  config.scheduler.reserve_full_isl = false;
  on_every_engine(config, requests, [](const ScheduleTable& table) {
    std::string passes;
    CHECK(count_preempting(table, passes) == 5);
    CHECK(passes == "4 7 10 12 14");
    std::int64_t wasted_chunks = 0;
    for (const ScheduleRow& row : table.rows()) {
      if (row.pass < 15 && row.scheduled == "A1 L7") ++wasted_chunks;
    }
    CHECK(wasted_chunks == 8);
    REQUIRE(table.rows().size() == 18);
    CHECK(table.rows()[13].finished == "A");
    CHECK(table.rows()[14].scheduled == "L8");
    CHECK(table.rows()[16].scheduled == "L8");
    CHECK(table.rows()[17].finished == "L");
  });
}

TEST_CASE("admission by the whole prompt makes it wait instead, and it finishes no later") {
  const std::vector<Request> requests{request(0, "A", 8, 14), request(1, "L", 24, 2, 1)};
  on_every_engine(server(8, 4, 8), requests, [](const ScheduleTable& table) {
    std::string passes;
    CHECK(count_preempting(table, passes) == 0);
    REQUIRE(table.rows().size() == 18);
    CHECK(table.rows()[12].waiting == "L");
    CHECK(table.rows()[13].finished == "A");
    CHECK(table.rows()[14].scheduled == "L8");
    CHECK(table.rows()[17].finished == "L");
  });
}

TEST_CASE("a request that never fits blocks all behind it until the watchdog ends the run") {
  const std::vector<Request> requests{request(0, "X", 20, 1), request(1, "Y", 4, 2)};
  ServerConfig config = server(4, 4, 8);
  config.scheduler.never_fits = NeverFits::hang;

  SUBCASE("where the whole prompt must fit it is never admitted") {
    on_every_engine(config, requests, [](const ScheduleTable& table) {
      CHECK(table.text() == "1 | | | 4 | | X Y\n");
      CHECK(table.endings() ==
            "X unfinished (the watchdog ended the run) at 1 s\nY unfinished (the watchdog ended the run) at 1 s\n");
      CHECK(table.run().watchdog != "");
    });
  }
  SUBCASE("where its first chunk is enough it evicts itself again and again") {
    config.scheduler.reserve_full_isl = false;
    on_every_engine(config, requests, [&](const ScheduleTable& table) {
      CHECK(table.text(6) ==
            "1 | X8 | | 2 | | Y\n"
            "2 | X8 | | 0 | | Y\n"
            "3 | | X | 4 | | X Y\n"
            "4 | X8 | | 2 | | Y\n"
            "5 | X8 | | 0 | | Y\n"
            "6 | | X | 4 | | X Y\n");
      std::string passes;
      CHECK(count_preempting(table, passes) == 1001 + 8 * config.scheduler.max_num_seqs);
      CHECK(table.run().watchdog != "");
    });
  }
}

TEST_CASE("a request that never fits is turned away at its arrival where the scenario says so") {
  const std::vector<Request> requests{request(0, "X", 20, 1), request(1, "Y", 4, 2)};
  ServerConfig config = server(4, 4, 8);
  config.scheduler.never_fits = NeverFits::reject;
  on_every_engine(config, requests, [](const ScheduleTable& table) {
    CHECK(table.text() == "1 | Y4 | | 3 | |\n2 | Y1 | | 2 | Y |\n");
    CHECK(table.endings() == "X rejected (never fits the KV pool) at 0 s\nY completed at 2 s\n");
    CHECK(table.run().watchdog == "");
  });
}

TEST_CASE("a request that never fits fails after the given number of self-preemptions") {
  const std::vector<Request> requests{request(0, "X", 20, 1), request(1, "Y", 4, 2)};
  ServerConfig config = server(4, 4, 8);
  config.scheduler.never_fits = NeverFits::fail_after;
  config.scheduler.fail_after = 2;

  SUBCASE("where the whole prompt must fit it fails at its first refusal") {
    on_every_engine(config, requests, [](const ScheduleTable& table) {
      CHECK(table.text() == "1 | | | 4 | | Y\n2 | Y4 | | 3 | |\n3 | Y1 | | 2 | Y |\n");
      CHECK(table.endings() == "X cancelled (can never be admitted) at 1 s\nY completed at 3 s\n");
    });
  }
  SUBCASE("where its first chunk is enough it fails when it evicted itself so often") {
    config.scheduler.reserve_full_isl = false;
    on_every_engine(config, requests, [](const ScheduleTable& table) {
      CHECK(table.text() ==
            "1 | X8 | | 2 | | Y\n"
            "2 | X8 | | 0 | | Y\n"
            "3 | | X | 4 | | X Y\n"
            "4 | X8 | | 2 | | Y\n"
            "5 | X8 | | 0 | | Y\n"
            "6 | | X | 4 | | Y\n"
            "7 | Y4 | | 3 | |\n"
            "8 | Y1 | | 2 | Y |\n");
      CHECK(table.endings() == "X cancelled (preempted itself too often) at 6 s\nY completed at 8 s\n");
    });
  }
}

}  // namespace decodesim::tests
