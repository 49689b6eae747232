// Schedules of fair shares and of the shortest job first, as they were worked out by hand: what runs, pass by pass, on both engines.

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "tests/support/draws.hpp"
#include "tests/support/every_engine.hpp"
#include "tests/support/requests.hpp"

namespace decodesim::tests {

namespace {

using std::chrono::seconds;

ServerConfig server(const char* engine, std::int64_t places) {
  ServerConfig config = server_on_seconds(1000, 4);
  config.scheduler.engine = engine;
  config.scheduler.max_num_seqs = places;
  config.scheduler.max_num_batched_tokens = 1000;
  return config;
}

}  // namespace

TEST_CASE("the tenant that got least is next, and idle time gives no credit") {
  // G20, with more requests of v, so that the credit which it must not have would show.
  ServerConfig config = server("vtc", 1);
  std::vector<Request> requests;
  const auto add = [&](const char* id, const char* tenant, std::int64_t input, std::int64_t output,
                       std::int64_t milliseconds) {
    Request one = request(static_cast<std::int64_t>(requests.size()), id, input, output, 0);
    one.arrival = Time(std::chrono::milliseconds(milliseconds));
    one.tenant = tenant;
    requests.push_back(one);
  };
  for (const char* id : {"u1", "u2", "u3"}) add(id, "u", 10, 5, 0);
  add("v1", "v", 4, 2, 0);
  // u is at 10 + 2 x 5 = 20, v at 4 + 2 x 2 = 8 when u2 starts (30); half a second later v comes back.
  for (const char* id : {"v2", "v3", "v4"}) add(id, "v", 4, 2, 7500);
  on_every_engine(config, requests, [](const ScheduleTable& table) {
    // v is lifted to 30 and u ends at 40: v2 (38), v3 (46), u3. With its 8 it would have been v2, v3, v4 (32), u3.
    std::string starts;
    for (const ScheduleRow& row : table.rows()) {
      if (row.scheduled.size() > 3 || row.scheduled.back() != '1') starts += row.scheduled.substr(0, 2) + " ";
    }
    CHECK(starts == "u1 v1 u2 v2 v3 u3 v4 ");
  });
}

TEST_CASE("a tenant of twice the weight gets twice the service") {
  ServerConfig config = server("vtc", 1);
  config.scheduler.fair.weights = {{"u", 2}};
  std::vector<Request> requests;
  for (std::int64_t i = 0; i < 24; ++i) {
    Request one = request(i, i % 2 == 0 ? "u" : "v", 4, 2, 0);
    one.tenant = one.id;
    requests.push_back(one);
  }
  on_every_engine(config, requests, [](const ScheduleTable& table) {
    std::string first;
    for (const ScheduleRow& row : table.rows()) {
      if (row.scheduled[1] == '4' && first.size() < 12) first += row.scheduled[0];
    }
    CHECK(first == "uvuuvuuvuuvu");
  });
}

TEST_CASE("while two tenants always wait their counters stay within what one of them can get at once") {
  // The bound of the paper: a prompt of the longest kind, or the output of all that the pool holds.
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Draws draws(seed);
    ServerConfig config = server("vtc", draws.between(1, 12));
    config.num_blocks = config.usable_blocks = draws.between(20, 60);
    config.scheduler.max_num_batched_tokens = draws.between(8, 64);
    std::vector<Request> requests;
    std::int64_t longest = 0;
    for (std::int64_t i = 0; i < 120; ++i) {
      // One tenant asks for long answers, the other for long prompts, in random order.
      const bool first = draws.chance(50);
      Request one = request(i, std::to_string(i), first ? draws.between(1, 8) : draws.between(8, 30),
                            first ? draws.between(8, 30) : draws.between(1, 8), 0);
      one.tenant = first ? "u" : "v";
      longest = std::max(longest, one.input_tokens);
      requests.push_back(one);
    }
    const std::int64_t pool = config.usable_blocks * config.block_size;
    // The last token of a request needs no room, so as many more as can run at once.
    const std::int64_t bound = std::max(longest, 2 * (pool + config.scheduler.max_num_seqs));

    /// Counts what each tenant got, and the widest gap while both wait.
    class Gap : public Observer {
     public:
      [[nodiscard]] bool wants_schedule() const override { return true; }
      void step(const StepFacts& facts) override {
        std::map<std::string, std::int64_t> waiting;
        for (const Request* one : facts.schedule->waiting) ++waiting[one->tenant];
        for (const auto& [one, tokens] : facts.schedule->scheduled) {
          std::int64_t& cached = cached_[one->index];
          if (cached == 0) got_[one->tenant] += one->input_tokens;
          cached += tokens;
          if (cached >= one->input_tokens) got_[one->tenant] += 2;
        }
        if (waiting["u"] == 0 || waiting["v"] == 0) both_ = false;
        if (both_) widest = std::max(widest, std::abs(got_["u"] - got_["v"]));
        passes += both_ ? 1 : 0;
      }
      std::int64_t widest = 0;
      std::int64_t passes = 0;

     private:
      std::map<std::int64_t, std::int64_t> cached_;
      std::map<std::string, std::int64_t> got_;
      bool both_ = true;
    };
    for (const Engine& engine : engines()) {
      CAPTURE(engine.name);
      CAPTURE(seed);
      Gap gap;
      play(engine, config, requests, std::nullopt, {&gap});
      CHECK(gap.passes > 20);
      CHECK(gap.widest <= bound);
    }
  }
}

TEST_CASE("the shortest of those that wait is next, and nobody loses its place") {
  const std::vector<Request> requests{request(0, "A", 1, 5, 0), request(1, "B", 1, 2, 1), request(2, "C", 1, 1, 2)};
  on_every_engine(server("sjf", 1), requests, [](const ScheduleTable& table) {
    CHECK(table.endings() == "A completed at 5 s\nC completed at 6 s\nB completed at 8 s\n");
  });
}

}  // namespace decodesim::tests
