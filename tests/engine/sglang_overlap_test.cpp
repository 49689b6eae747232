// Schedules of SGLang where each pass is planned before the results of the one before it are looked at, on both engines.

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/support/every_engine.hpp"
#include "tests/support/invariants.hpp"
#include "tests/support/kept_schedule.hpp"
#include "tests/support/requests.hpp"

namespace decodesim::tests {

namespace {

/// A server on a grid of one second with pages of one token, that expects nothing of what runs.
ServerConfig server(std::int64_t pool, bool async = true) {
  ServerConfig config = server_on_seconds(pool, 1);
  config.scheduler.engine = "sglang";
  config.scheduler.async = async;
  config.scheduler.sglang.disable_radix_cache = true;
  config.scheduler.sglang.schedule_conservativeness = 0;
  return config;
}

/// Counts the tokens that a run computes, yields and takes back.
class Work : public Observer {
 public:
  void step(const StepFacts& facts) override {
    computed += facts.shape.tokens();
    yielded += facts.shape.samples;
    for (const TokenGap& gap : facts.gaps) gaps += gap.count;
    for (const WithdrawnToken& lost : facts.withdrawn) {
      --yielded;
      if (lost.gap) --gaps;
    }
    withdrawn += static_cast<std::int64_t>(facts.withdrawn.size());
  }
  void ended(const RequestFacts& facts) override { emitted += facts.output_tokens; }
  std::int64_t computed = 0;
  std::int64_t yielded = 0;
  std::int64_t gaps = 0;
  std::int64_t withdrawn = 0;
  std::int64_t emitted = 0;
};

}  // namespace

TEST_CASE("overlapped, who ends is served once more, whether it reached its limit or stopped by itself") {
  for (const std::int64_t limit : {3, 9}) {
    CAPTURE(limit);
    Request alone = request(0, "A", 4, 3);
    alone.max_tokens = limit;
    on_every_engine(server(40), {alone}, [](const ScheduleTable& table) {
      CHECK(table.text() ==
            "1 | A4 | | 36 | |\n"
            "2 | A1 | | 35 | |\n"
            "3 | A1 | | 34 | |\n"
            "4 | A1 | | 33 | A |\n");
      // The client has its last token at the end of the step that yielded it.
      CHECK(table.endings() == "A completed at 3 s\n");
    });
  }
}

TEST_CASE("overlapped, alone P + O tokens are computed and O come out") {
  for (std::int64_t input = 1; input <= 12; ++input) {
    for (std::int64_t output = 1; output <= 6; ++output) {
      watch_every_engine<Work>(server(40), {request(0, "A", input, output)}, [&](const Work& work) {
        CHECK(work.computed == input + output);
        CHECK(work.emitted == output);
        CHECK(work.yielded == output);
        CHECK(work.gaps == output - 1);
      });
    }
  }
}

TEST_CASE("overlapped, a victim loses the token under way, even its last, and comes back for it") {
  const std::vector<Request> requests{request(0, "A", 6, 4), request(1, "B", 3, 5, 1)};
  on_every_engine(server(16), requests, [](const ScheduleTable& table) {
    // Step 5 yields the fourth token of both. Pass 6 knows of three each, so A with the longer prompt goes.
    CHECK(table.text() ==
          "1 | A6 | | 10 | |\n"
          "2 | B3 | | 7 | |\n"
          "3 | A1 B1 | | 5 | |\n"
          "4 | A1 B1 | | 3 | |\n"
          "5 | A1 B1 | | 1 | |\n"
          "6 | B1 | A | 9 | | A\n"
          "7 | B1 | | 8 | B | A\n"
          "8 | | | 16 | | A\n"
          "9 | A9 | | 7 | |\n"
          "10 | A1 | | 6 | A |\n");
    CHECK(table.endings() == "B completed at 6 s\nA completed at 9 s\n");
  });
  watch_every_engine<Work>(server(16), requests, [](const Work& work) {
    CHECK(work.withdrawn == 1);
    CHECK(work.emitted == 9);
    CHECK(work.yielded == 9);
    CHECK(work.gaps == 7);
  });
  on_every_engine(server(16, false), requests, [](const ScheduleTable& table) {
    CHECK(table.endings() == "A completed at 5 s\nB completed at 6 s\n");
  });
}

TEST_CASE("overlapped, a first token can be lost, and comes later") {
  // B's prompt leaves three pages, and four want one.
  const std::vector<Request> requests{request(0, "A", 2, 8), request(1, "C", 2, 8, 1), request(2, "D", 2, 8, 2),
                                      request(3, "B", 6, 1, 6)};
  class FirstTokens : public Observer {
   public:
    void step(const StepFacts& facts) override { withdrawn += static_cast<std::int64_t>(facts.withdrawn.size()); }
    void ended(const RequestFacts& facts) override {
      if (facts.request->id == "B") first = facts.first_token;
    }
    std::int64_t withdrawn = 0;
    Time first{};
  };
  watch_every_engine<ScheduleTable, FirstTokens>(server(24), requests,
                                                 [](const ScheduleTable& table, const FirstTokens& tokens) {
                                                   CHECK(table.text() ==
                                                         "1 | A2 | | 22 | |\n"
                                                         "2 | C2 | | 20 | |\n"
                                                         "3 | D2 | | 18 | |\n"
                                                         "4 | A1 C1 D1 | | 15 | |\n"
                                                         "5 | A1 C1 D1 | | 12 | |\n"
                                                         "6 | A1 C1 D1 | | 9 | |\n"
                                                         "7 | B6 | | 3 | |\n"
                                                         "8 | A1 C1 D1 | B | 6 | | B\n"
                                                         "9 | A1 C1 D1 | | 3 | | B\n"
                                                         "10 | A1 C1 D1 | | 0 | | B\n"
                                                         "11 | A1 C1 | D | 6 | | B D\n"
                                                         "12 | A1 C1 | | 4 | A C | B D\n"
                                                         "13 | | | 24 | | B D\n"
                                                         "14 | B6 D8 | | 10 | |\n"
                                                         "15 | B1 D1 | | 8 | B |\n"
                                                         "16 | D1 | | 14 | D |\n");
                                                   CHECK(tokens.withdrawn == 2);
                                                   CHECK(tokens.first == Time(std::chrono::seconds(14)));
                                                 });
}

TEST_CASE("overlapped, a prompt that fills the pool waits for its end, since no step finds room for one token more") {
  Request alone = request(0, "A", 15, 1);
  alone.ignore_eos = true;
  ServerConfig config = server(15);
  config.scheduler.never_fits = NeverFits::hang;
  on_every_engine(config, {alone}, [](const ScheduleTable& table) {
    CHECK(table.text() ==
          "1 | A15 | | 0 | |\n"
          "2 | | | 0 | A |\n");
    CHECK(table.endings() == "A completed at 1 s\n");
  });
}

TEST_CASE(
    "the overlapped schedule of the over-committed server is the one that SGLang's own scheduler was seen to make") {
  const std::string overlapped = kept_schedule("sglang-over-commit-overlapped");
  CHECK(overlapped != kept_schedule("sglang-over-commit"));
  for (const char* row : {"38 | B1 | A | 54 | | C A\n", "41 | B1 | | 51 | | C A\n", "42 | B1 | | 50 | B | C A\n",
                          "43 | | | 100 | | C A\n", "44 | C30 | | 70 | | A\n", "84 | C1 | | 30 | C | A\n",
                          "86 | A55 | | 45 | |\n", "91 | A1 | | 40 | A |\n"}) {
    CAPTURE(row);
    CHECK(overlapped.find(row) != std::string::npos);
  }
}

}  // namespace decodesim::tests
