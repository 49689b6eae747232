// Schedules of vLLM V1 where each pass is planned before the step before it is looked at, on both engines.

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/support/every_engine.hpp"
#include "tests/support/invariants.hpp"
#include "tests/support/kept_schedule.hpp"
#include "tests/support/requests.hpp"

namespace decodesim::tests {

namespace {

const ShapeCost by_shape;

/// A server on a grid of one second that plans ahead, with blocks of four tokens.
ServerConfig server(std::int64_t usable, std::int64_t max_num_seqs) {
  ServerConfig config = vllm_v1_on_seconds(usable, 4, 16);
  config.scheduler.max_num_seqs = max_num_seqs;
  config.scheduler.async = true;
  return config;
}

Request limited(std::int64_t index, const char* id, std::int64_t input, std::int64_t output, std::int64_t limit) {
  Request made = request(index, id, input, output);
  made.max_tokens = limit;
  return made;
}

/// Counts the tokens that a run computes, and keeps when its requests end.
class Work : public Observer {
 public:
  void step(const StepFacts& facts) override {
    computed += facts.shape.tokens();
    yielded += facts.shape.samples;
    for (const TokenGap& gap : facts.gaps) gaps += gap.count;
  }
  void ended(const RequestFacts& facts) override { emitted += facts.output_tokens; }
  std::int64_t computed = 0;
  std::int64_t yielded = 0;
  std::int64_t gaps = 0;
  std::int64_t emitted = 0;
};

constexpr const char* blocks_held_longer =
    "1 | A6 B5 C3 | | 0 | |\n"
    "2 | A1 B1 C1 | | 0 | |\n"
    "3 | A1 B1 | C | 1 | | C\n"
    "4 | A1 B1 | | 0 | | C\n"
    "5 | A1 | B | 2 | | B C\n"
    "6 | A1 | | 2 | | B C\n"
    "7 | A1 | | 2 | | B C\n"
    "8 | | | 2 | A | B C\n"
    "9 | B9 C5 | | 0 | |\n"
    "10 | B1 C1 | | 0 | |\n"
    "11 | C1 | | 0 | B |\n"
    "12 | | | 3 | C |\n";

/// A as limited, or as stopped by itself: then pass 3 serves it too.
std::string place_held_longer(bool stops) {
  return std::string(
             "1 | A4 C4 | | 10 | | B\n"
             "2 | A1 C1 | | 8 | | B\n"
             "3 | ") +
         (stops ? "A1 C1" : "C1") +
         " | | 8 | A | B\n"
         "4 | C1 B4 | | 9 | |\n"
         "5 | C1 B1 | | 8 | |\n"
         "6 | C1 | | 7 | B |\n"
         "7 | | | 9 | C |\n";
}

}  // namespace

TEST_CASE("who got its last token holds its blocks while the next pass is planned") {
  const std::vector<Request> requests = three_growing();
  on_every_engine(server(5, 4), requests, [](const ScheduleTable& table) {
    CHECK(table.text() == blocks_held_longer);
    // The client has its last token at the end of the step that yielded it.
    CHECK(table.endings() == "A completed at 7 s\nB completed at 10 s\nC completed at 11 s\n");
  });
}

TEST_CASE("who got its last token holds its place while the next pass is planned") {
  const std::vector<Request> requests{request(0, "A", 4, 2), request(1, "C", 4, 6), request(2, "B", 4, 2)};
  on_every_engine(server(12, 2), requests,
                  [](const ScheduleTable& table) { CHECK(table.text() == place_held_longer(false)); });
  ServerConfig one_by_one = server(12, 2);
  one_by_one.scheduler.async = false;
  on_every_engine(one_by_one, requests,
                  [](const ScheduleTable& table) { CHECK(table.rows().at(2).scheduled == "C1 B4"); });
}

TEST_CASE("who stops by itself is served once more, since nobody knew") {
  const std::vector<Request> requests{limited(0, "A", 4, 2, 50), request(1, "C", 4, 6), request(2, "B", 4, 2)};
  on_every_engine(server(12, 2), requests, [](const ScheduleTable& table) {
    CHECK(table.text() == place_held_longer(true));
    CHECK(table.endings() == "A completed at 2 s\nB completed at 5 s\nC completed at 6 s\n");
  });
}

TEST_CASE("the schedules kept of scenario files that plan ahead are those of the description") {
  CHECK(kept_schedule("holds-blocks-a-pass-longer") == blocks_held_longer);
  CHECK(kept_schedule("holds-a-place-a-pass-longer") == place_held_longer(false));
  CHECK(kept_schedule("stops-unforeseen") == place_held_longer(true));
}

TEST_CASE("v1-sched-17: alone, P + M - 1 tokens are computed up to a limit and P + O up to a stop") {
  const auto work_of = [](const Engine& engine, const Request& alone, std::int64_t max_model_len) {
    ServerConfig config = server(40, 4);
    config.max_model_len = max_model_len;
    Work work;
    play(engine, config, {alone}, std::nullopt, {&work});
    CHECK(work.emitted == work.yielded);
    CHECK(work.gaps == work.yielded - 1);
    return work;
  };
  for (const Engine& engine : engines()) {
    CAPTURE(engine.name);
    for (std::int64_t input = 1; input <= 20; ++input) {
      for (std::int64_t output = 1; output <= 9; ++output) {
        CHECK(work_of(engine, request(0, "A", input, output), 1000).computed == input + output - 1);
        CHECK(work_of(engine, limited(0, "A", input, output, output + 1), 1000).computed == input + output);
        CHECK(work_of(engine, request(0, "A", input, output + 5), input + output).computed == input + output - 1);
      }
    }
  }
}

TEST_CASE("the token that is thrown away takes a block, and may find none") {
  // Four tokens fill A's block; its second token is out when the third, which nobody wants, needs another one.
  on_every_engine(server(3, 2), {limited(0, "A", 3, 2, 9)}, [](const ScheduleTable& table) {
    CHECK(table.text() ==
          "1 | A3 | | 2 | |\n"
          "2 | A1 | | 2 | |\n"
          "3 | A1 | | 1 | A |\n");
  });
  on_every_engine(server(1, 2), {limited(0, "A", 3, 2, 9)}, [](const ScheduleTable& table) {
    CHECK(table.text() ==
          "1 | A3 | | 0 | |\n"
          "2 | A1 | | 0 | |\n"
          "3 | | A | 1 | A |\n");
    CHECK(table.endings() == "A completed at 2 s\n");
  });
}

TEST_CASE("a pass that only lets go takes no time where steps take theirs") {
  ServerConfig config = server(5, 4);
  config.cost = &by_shape;
  config.grid_step = Duration{};
  const std::vector<Request> requests = three_growing();
  for (const Engine& engine : engines()) {
    CAPTURE(engine.name);
    class Times : public ScheduleTable {
     public:
      void step(const StepFacts& facts) override {
        ScheduleTable::step(facts);
        durations.push_back(facts.end - facts.start);
      }
      std::vector<Duration> durations;
    } table;
    play(engine, config, requests, std::nullopt, {&table});
    REQUIRE(table.durations.size() == 12);
    for (std::size_t i = 0; i < 12; ++i) CHECK((table.durations[i] == Duration{}) == (i == 7 || i == 11));
    CHECK(table.rows()[7].finished == "A");
  }
}

TEST_CASE("in a closed loop the next request comes with the last token, and is seen a pass later") {
  ServerConfig config = server(40, 2);
  const std::vector<Request> requests{request(0, "A", 4, 2), request(1, "B", 4, 1)};
  for (const Engine& engine : engines()) {
    CAPTURE(engine.name);
    ScheduleTable table;
    InvariantChecker invariants(config);
    class Arrivals : public Observer {
     public:
      void arrived(const Request& request) override { seen += request.id + text(request.arrival); }
      static std::string text(Time time) {
        return std::to_string(time.time_since_epoch() / std::chrono::seconds(1)) + " ";
      }
      std::string seen;
    } arrivals;
    play(engine, config, requests, 1, {&table, &invariants, &arrivals});
    CHECK(invariants.violation() == "");
    CHECK(arrivals.seen == "A0 B2 ");
    CHECK(table.text() ==
          "1 | A4 | | 39 | |\n"
          "2 | A1 | | 38 | |\n"
          "3 | | | 38 | A |\n"
          "4 | B4 | | 39 | |\n"
          "5 | | | 39 | B |\n");
  }
}

}  // namespace decodesim::tests
