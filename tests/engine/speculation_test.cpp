// Schedules in which decoding sequences verify drafts and gain several tokens a step, on both engines.

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/support/every_engine.hpp"
#include "tests/support/requests.hpp"

namespace decodesim::tests {

namespace {

/// A server on a grid of one second with blocks of four tokens and three drafts a step.
ServerConfig drafting(std::int64_t usable, double acceptance, std::int64_t budget = 64) {
  ServerConfig config = vllm_v1_on_seconds(usable, 4, budget);
  config.scheduler.speculative.draft_tokens = 3;
  config.scheduler.speculative.acceptance = acceptance;
  return config;
}

/// Counts what becomes of drafts, and what clients see.
class Drafts : public Observer {
 public:
  void step(const StepFacts& facts) override {
    decodes += facts.shape.drafts / 3;
    drafted += facts.shape.drafts;
    accepted += facts.accepted_tokens;
    yielded += facts.shape.samples + facts.accepted_tokens;
    for (const TokenGap& gap : facts.gaps) gaps += gap.count;
  }
  void ended(const RequestFacts& facts) override {
    ++ended_;
    emitted += facts.output_tokens;
    CHECK(yielded >= emitted);
  }
  void run_ended(const RunFacts&) override {
    CHECK(yielded == emitted);
    // Tokens of one step come together: there is one gap before all of them.
    CHECK(gaps + accepted + ended_ == emitted);
  }
  std::int64_t decodes = 0;
  std::int64_t drafted = 0;
  std::int64_t accepted = 0;
  std::int64_t yielded = 0;
  std::int64_t emitted = 0;
  std::int64_t gaps = 0;

 private:
  std::int64_t ended_ = 0;
};

}  // namespace

TEST_CASE("where all drafts are accepted a step yields one token and all of them, cut at the end of the answer") {
  // The prompt's step yields the first token; two steps yield four each, and of the last step's four only one is left.
  watch_every_engine<ScheduleTable, Drafts>(drafting(20, 1), {request(0, "A", 6, 10)},
                                            [](const ScheduleTable& table, const Drafts& drafts) {
                                              CHECK(table.text() ==
                                                    "1 | A6 | | 18 | |\n"
                                                    "2 | A4 | | 17 | |\n"
                                                    "3 | A4 | | 16 | |\n"
                                                    "4 | A4 | | 15 | A |\n");
                                              CHECK(drafts.drafted == 9);
                                              CHECK(drafts.accepted == 6);
                                            });
}

TEST_CASE("where no draft is accepted tokens come as they do without, in steps that compute four times as many") {
  const std::vector<Request> requests{request(0, "A", 6, 5), request(1, "B", 9, 3, 2)};
  std::string endings;
  on_every_engine(vllm_v1_on_seconds(20, 4, 64), requests,
                  [&](const ScheduleTable& table) { endings = table.endings(); });
  watch_every_engine<ScheduleTable, Drafts>(drafting(20, 0), requests,
                                            [&](const ScheduleTable& table, const Drafts& drafts) {
                                              CHECK(table.endings() == endings);
                                              CHECK(table.rows().at(1).scheduled == "A4");
                                              CHECK(drafts.accepted == 0);
                                              CHECK(drafts.drafted == 3 * (4 + 2));
                                            });
}

TEST_CASE("over many steps the tokens a step and sequence are the mean of the chances, exactly") {
  for (const double acceptance : {0.3, 0.62, 0.7, 0.95}) {
    const ServerConfig config = drafting(2000, acceptance);
    const double mean = tokens_per_step(config.scheduler.speculative);
    ServerConfig wide = config;
    wide.max_model_len = 4096;
    watch_every_engine<Drafts>(wide, alike(3, 5, 2001), [&](const Drafts& drafts) {
      const double measured = 1 + static_cast<double>(drafts.accepted) / static_cast<double>(drafts.decodes);
      CHECK(measured == doctest::Approx(mean).epsilon(0.003));  // the last step of each may be cut
      CHECK(measured <= mean + 1e-9);
    });
  }
}

TEST_CASE("a decoding sequence has slots for its drafts, and for those that a head or a model writes meanwhile") {
  const std::vector<Request> requests{request(0, "A", 3, 4)};
  const auto free_after = [&](const ServerConfig& config) {
    std::string free;
    on_every_engine(config, requests, [&](const ScheduleTable& table) { free = table.text(); });
    return free;
  };
  // Three tokens cached, one computed, three drafts: two blocks. Then one token more each time.
  CHECK(free_after(drafting(9, 0)) ==
        "1 | A3 | | 8 | |\n"
        "2 | A4 | | 7 | |\n"
        "3 | A4 | | 7 | |\n"
        "4 | A4 | | 6 | A |\n");
  ServerConfig head = drafting(9, 0);
  head.scheduler.speculative.draft = DraftKind::head;
  CHECK(free_after(head) ==
        "1 | A3 | | 8 | |\n"
        "2 | A4 | | 6 | |\n"
        "3 | A4 | | 6 | |\n"
        "4 | A4 | | 6 | A |\n");
  // No sequence has slots beyond max_model_len.
  head.max_model_len = 8;
  CHECK(free_after(head) ==
        "1 | A3 | | 8 | |\n"
        "2 | A4 | | 7 | |\n"
        "3 | A4 | | 7 | |\n"
        "4 | A4 | | 7 | A |\n");
}

TEST_CASE("a request that fits but for the drafts of its last step never fits") {
  const std::vector<Request> requests{request(0, "A", 6, 3)};  // eight tokens get KV: two blocks
  on_every_engine(vllm_v1_on_seconds(2, 4, 64), requests,
                  [](const ScheduleTable& table) { CHECK(table.endings() == "A completed at 3 s\n"); });
  on_every_engine(drafting(2, 0), requests,
                  [](const ScheduleTable& table) { CHECK(table.endings().find("A rejected") == 0); });
}

TEST_CASE("who decodes has room in the budget for all its drafts, or waits, and nobody behind it takes the rest") {
  const std::vector<Request> requests{request(0, "A", 2, 5), request(1, "B", 2, 5), request(2, "C", 3, 1, 1)};
  on_every_engine(drafting(20, 1, 7), requests, [](const ScheduleTable& table) {
    CHECK(table.text() ==
          "1 | A2 B2 | | 18 | |\n"
          "2 | A4 | | 17 | A | C\n"
          "3 | B4 C3 | | 17 | B C |\n");
  });
}

TEST_CASE("an eviction drops drafts with the rest, and all known tokens are computed again") {
  // Both need a third block for their drafts and only one is free, so B goes, and comes back with prompt and output.
  const std::vector<Request> requests{request(0, "A", 4, 9), request(1, "B", 4, 9)};
  watch_every_engine<ScheduleTable, Drafts>(drafting(5, 1), requests,
                                            [](const ScheduleTable& table, const Drafts& drafts) {
                                              CHECK(table.text() ==
                                                    "1 | A4 B4 | | 3 | |\n"
                                                    "2 | A4 B4 | | 1 | |\n"
                                                    "3 | A4 | B | 2 | A | B\n"
                                                    "4 | B9 | | 2 | |\n"
                                                    "5 | B4 | | 1 | B |\n");
                                              CHECK(drafts.emitted == 18);
                                            });
}

}  // namespace decodesim::tests
