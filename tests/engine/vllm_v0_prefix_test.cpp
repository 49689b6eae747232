// Schedules of vLLM V0 with its prefix cache, worked out pass by pass, on both engines.

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/support/every_engine.hpp"
#include "tests/support/requests.hpp"

namespace decodesim::tests {

namespace {

ServerConfig server(std::int64_t blocks, std::int64_t block_size, std::int64_t budget, bool chunks = false) {
  ServerConfig config = server_on_seconds(blocks, block_size);
  config.scheduler.engine = "vllm-v0";
  config.scheduler.enable_chunked_prefill = chunks;
  config.scheduler.max_num_batched_tokens = budget;
  config.scheduler.max_num_seqs = 4;
  config.prefix_caching = true;
  return config;
}

/// A request of which the first `shared` tokens are those that all of these begin with.
Request sharing(std::int64_t shared, std::int64_t index, const char* id, std::int64_t input, std::int64_t output,
                std::int64_t arrival_s = 0) {
  Request made = request(index, id, input, output, arrival_s);
  made.content = {{1, shared}};
  return made;
}

}  // namespace

TEST_CASE("who starts together shares full blocks, but each computes them; who comes later finds them") {
  // Two blocks are everybody's, and A and B have one each besides. All eight tokens of C are there: it computes the last of
  // them again, in place, and needs a block for its second token only.
  const std::vector<Request> requests{sharing(8, 0, "A", 10, 3), sharing(8, 1, "B", 10, 3),
                                      sharing(8, 2, "C", 8, 3, 1)};
  on_every_engine(server(10, 4, 32), requests, [](const ScheduleTable& table) {
    CHECK(table.text() ==
          "1 | A10 B10 | | 6 | |\n"
          "2 | C1 | | 6 | |\n"
          "3 | A1 B1 C1 | | 5 | |\n"
          "4 | A1 B1 C1 | | 5 | A B C |\n");
  });
}

TEST_CASE("blocks that others hold need no room") {
  // Six of seven blocks are taken when B comes, which needs three and shares two.
  ServerConfig config = server(7, 4, 64);
  const std::vector<Request> requests{sharing(8, 0, "A", 11, 2), request(1, "C", 11, 2), sharing(8, 2, "B", 11, 2, 1)};
  on_every_engine(config, requests, [](const ScheduleTable& table) {
    CHECK(table.text(2) ==
          "1 | A11 C11 | | 1 | |\n"
          "2 | B3 | | 0 | |\n");
  });
  config.prefix_caching = false;
  on_every_engine(config, requests, [](const ScheduleTable& table) {
    CHECK(table.rows()[1].scheduled == "A1 C1");
    CHECK(table.rows()[1].waiting == "B");
  });
}

TEST_CASE("blocks that are found but held by nobody are taken from the free ones") {
  // A block must stay free. D finds two of its three blocks, but with them none of the other three would be.
  ServerConfig config = server(4, 4, 64);
  config.scheduler.watermark = 0.25;
  const std::vector<Request> requests{sharing(8, 0, "A", 12, 1), request(1, "X", 1, 2, 1),
                                      sharing(8, 2, "D", 12, 1, 2)};
  on_every_engine(config, requests, [](const ScheduleTable& table) {
    CHECK(table.text() ==
          "1 | A12 | | 1 | A |\n"
          "2 | X1 | | 3 | |\n"
          "3 | X1 | | 3 | X | D\n"
          "4 | D4 | | 1 | D |\n");
  });
}

TEST_CASE("a chunk that the budget cuts is whole blocks, and what is left of the budget goes to the next prompt") {
  const std::vector<Request> requests{request(0, "A", 3, 6), request(1, "B", 20, 2, 1), request(2, "C", 1, 2, 1)};
  ServerConfig config = server(20, 4, 10, true);
  const auto scheduled = [](const ScheduleTable& table) {
    std::string all;
    for (const ScheduleRow& row : table.rows()) all += row.scheduled + "; ";
    return all;
  };
  on_every_engine(config, requests, [&](const ScheduleTable& table) {
    CHECK(scheduled(table) == "A3; A1 B8 C1; A1 B8 C1; A1 B4; A1 B1; A1; ");
  });
  config.prefix_caching = false;
  on_every_engine(config, requests, [&](const ScheduleTable& table) {
    CHECK(scheduled(table) == "A3; A1 B9; A1 B9; A1 B2 C1; A1 B1 C1; A1; ");
  });
}

TEST_CASE("what a pass computes of a prompt is found from the next pass on, and the rest shared and computed by both") {
  // B begins as A does, when 8 of A's 16 tokens have been computed: it finds these. Its other two blocks are A's too, which
  // has them half done; both go on with them.
  const std::vector<Request> requests{sharing(16, 0, "A", 17, 1), sharing(16, 1, "B", 17, 1, 1)};
  on_every_engine(server(20, 4, 8, true), requests, [](const ScheduleTable& table) {
    CHECK(table.text() ==
          "1 | A8 | | 15 | |\n"
          "2 | A8 | | 15 | | B\n"
          "3 | A1 B1 | | 14 | A B |\n");
  });
  // With room for both in a step.
  on_every_engine(server(20, 4, 12, true), {sharing(16, 0, "A", 21, 1), sharing(16, 1, "B", 17, 1, 1)},
                  [](const ScheduleTable& table) {
                    CHECK(table.text() ==
                          "1 | A12 | | 14 | |\n"
                          "2 | A9 | | 14 | A | B\n"
                          "3 | B1 | | 15 | B |\n");
                  });
}

TEST_CASE("who was evicted finds its full blocks again") {
  const std::vector<Request> three = three_growing();
  class Found : public Observer {
   public:
    void step(const StepFacts& facts) override {
      recomputed += facts.recomputed_tokens;
      again += facts.found_again_tokens;
    }
    std::int64_t recomputed = 0;
    std::int64_t again = 0;
  };
  ServerConfig config = server(5, 4, 32);
  watch_every_engine<ScheduleTable, Found>(config, three, [](const ScheduleTable& table, const Found& found) {
    // B finds one block at 6 and two at 10; C one at 12, since A took the one that it had at 4.
    CHECK(table.text() ==
          "1 | A6 B5 C3 | | 0 | |\n"
          "2 | A1 B1 | C | 1 | | C\n"
          "3 | C4 | | 0 | |\n"
          "4 | A1 B1 | C | 1 | | C\n"
          "5 | A1 | B | 2 | | B C\n"
          "6 | B4 | | 0 | | C\n"
          "7 | A1 | B | 2 | | B C\n"
          "8 | A1 | | 2 | | B C\n"
          "9 | A1 | | 2 | A | B C\n"
          "10 | B1 C5 | | 0 | |\n"
          "11 | B1 | C | 2 | B | C\n"
          "12 | C2 | | 3 | |\n"
          "13 | C1 | | 3 | C |\n");
    CHECK(found.again == 4 + 8 + 4);
    CHECK(found.recomputed == 3 + 3 + 4 + 1);
  });
}

}  // namespace decodesim::tests
