// What the axes of vLLM V1 do to a schedule, on both engines.

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/support/every_engine.hpp"
#include "tests/support/kept_schedule.hpp"

namespace decodesim::tests {

namespace {

ServerConfig server(std::int64_t usable, std::int64_t block_size, std::int64_t budget) {
  ServerConfig config = vllm_v1_on_seconds(usable, block_size, budget);
  config.scheduler.max_num_seqs = 8;
  return config;
}

Request request(std::int64_t index, const char* id, std::int64_t input, std::int64_t output, double arrival_s,
                std::int64_t priority = 0) {
  const Time arrival(std::chrono::milliseconds(static_cast<std::int64_t>(arrival_s * 1000)));
  return {index, id, arrival, input, output, output, priority};
}

/// The schedule of every engine must be this one; the invariants hold in any case.
void check_schedule(const ServerConfig& config, const std::vector<Request>& requests, const std::string& expected,
                    std::size_t rows = SIZE_MAX) {
  on_every_engine(config, requests, [&](const ScheduleTable& table) { CHECK(table.text(rows) == expected); });
}

// The tables; those of G5b are printed with its two variants.
constexpr const char* g5b_distinct =
    "1 | | | 2 | |\n"
    "2 | A1 B1 | | 0 | |\n"
    "3 | A1 | B | 0 | A | B\n"
    "4 | B2 | | 0 | B |\n";
constexpr const char* g5b_simultaneous =
    "1 | A1 B1 | | 0 | |\n"
    "2 | | A | 1 | | A\n"
    "3 | B1 | | 0 | B | A\n"
    "4 | A2 | | 0 | A |\n";
constexpr const char* gives_back =
    "1 | A2 | | 5 | |\n"
    "2 | A1 B1 L2 | | 2 | |\n"
    "3 | A1 B1 L2 | | 1 | |\n"
    "4 | B1 L3 | A | 0 | B | A\n"
    "5 | L4 | | 0 | | A\n"
    "6 | L1 | | 0 | L | A\n"
    "7 | A4 | | 4 | |\n"
    "8 | A1 | | 3 | |\n"
    "9 | A1 | | 3 | A |\n";
constexpr const char* more_than_the_budget =
    "1 | A1 | | 5 | |\n"
    "2 | A1 | | 4 | |\n"
    "3 | A1 | | 3 | |\n"
    "4 | A1 | | 2 | |\n"
    "5 | A1 B1 | | 0 | |\n"
    "6 | C1 D1 | A | 3 | | A\n"
    "7 | B1 C1 | | 1 | C | A\n"
    "8 | B1 D1 | | 1 | B D | A\n"
    "9 | A2 | | 4 | |\n"
    "10 | A2 | | 2 | |\n"
    "11 | A2 | | 0 | A |\n";

ServerConfig by_priority(ServerConfig config) {
  config.scheduler.policies.queue_order = "priority";
  return config;
}

}  // namespace

TEST_CASE("of equally urgent ones the last that came is evicted, and its victim waits for a block") {
  // G5b with stamps of their own, a pass later than printed, since both must have come before it.
  check_schedule(by_priority(server(2, 1, 4)), {request(0, "A", 1, 2, 0.1), request(1, "B", 1, 2, 0.2)}, g5b_distinct);
}

TEST_CASE("of those that came at one instant the first in running is evicted, and who stands behind it gets nothing") {
  check_schedule(by_priority(server(2, 1, 4)), {request(0, "A", 1, 2, 0), request(1, "B", 1, 2, 0)}, g5b_simultaneous);
}

TEST_CASE("the most urgent waits first, and a victim goes back to the place of its key") {
  // In pass 3 B needs a second block: the least urgent of all, it gives up its own and waits behind D, which came later.
  // C, admitted after it, gets nothing in this pass, though it would have needed what B gave up.
  check_schedule(by_priority(server(4, 2, 8)),
                 {request(0, "A", 2, 3, 0, 1), request(1, "B", 1, 4, 0, 2), request(2, "C", 2, 2, 0.5, 0),
                  request(3, "D", 4, 2, 1.5, 1)},
                 "1 | A2 B1 | | 2 | |\n"
                 "2 | A1 B1 C2 | | 0 | |\n"
                 "3 | A1 | B | 1 | A | D B\n"
                 "4 | C1 D4 | | 0 | C | B\n"
                 "5 | D1 | | 1 | D | B\n"
                 "6 | B3 | | 2 | |\n"
                 "7 | B1 | | 2 | B |\n");
}

TEST_CASE("a victim that has tokens of this pass gives them back, and who stands behind gets them") {
  // Pass 4: A took its token and the last block, then B needs one and evicts it. L, cut by the budget before, gets 3.
  ServerConfig config = by_priority(server(6, 2, 4));
  config.scheduler.reserve_full_isl = false;
  check_schedule(config, {request(0, "A", 2, 5, 0, 9), request(1, "B", 1, 3, 0.2, 0), request(2, "L", 12, 1, 0.3, 1)},
                 gives_back);
}

TEST_CASE("more sequences than the budget has tokens run in order of admission, and the last get nothing") {
  // A evicts itself in pass 6 with B behind it, and two are admitted in its place.
  ServerConfig config = by_priority(server(6, 1, 2));
  config.scheduler.policies.after_eviction = "admit";
  config.scheduler.reserve_full_isl = false;
  check_schedule(
      config,
      {request(0, "A", 1, 6, 0, 5), request(1, "B", 1, 3, 4), request(2, "C", 1, 2, 5), request(3, "D", 1, 2, 5)},
      more_than_the_budget);
}

TEST_CASE("a victim waits at the head, at the tail or at its own place") {
  // In pass 3 B needs a block and evicts itself. It came before C and D, which wait.
  const std::vector<Request> requests{request(0, "A", 4, 3, 0), request(1, "B", 4, 2, 0.5), request(2, "C", 8, 1, 1.5),
                                      request(3, "D", 8, 1, 1.6)};
  const auto waiting_after_eviction = [&](const std::optional<std::string>& destination,
                                          const std::optional<std::string>& victim) {
    ServerConfig config = server(3, 4, 16);
    config.scheduler.policies.destination = destination;
    config.scheduler.policies.victim = victim;
    std::string waiting;
    for (const Engine& engine : engines()) {
      ScheduleTable table;
      play(engine, config, requests, std::nullopt, {&table});
      for (const ScheduleRow& row : table.rows()) {
        if (row.preempted != "" && waiting.find(row.preempted + ": ") == std::string::npos)
          waiting += row.preempted + ": " + row.waiting + "; ";
      }
    }
    return waiting;
  };
  CHECK(waiting_after_eviction(std::nullopt, std::nullopt).substr(0, 9) == "B: B C D;");
  CHECK(waiting_after_eviction("tail", std::nullopt).substr(0, 9) == "B: C D B;");
  CHECK(waiting_after_eviction("same-place", std::nullopt).substr(0, 9) == "B: B C D;");
}

TEST_CASE("requests that evict each other without end are named by the watchdog") {
  // Each fits alone; who holds more is evicted, and the other admitted again at once.
  ServerConfig config = server(4, 4, 16);
  config.scheduler.long_prefill_token_threshold = 4;
  config.scheduler.policies.admission = "first-chunk";
  config.scheduler.policies.victim = "most-reclaimable-blocks";
  config.scheduler.policies.after_eviction = "admit";
  const std::vector<Request> requests{request(0, "X", 16, 1, 0), request(1, "Y", 16, 1, 0)};
  check_schedule(config, requests,
                 "1 | X4 Y4 | | 2 | |\n"
                 "2 | X4 Y4 | | 0 | |\n"
                 "3 | X4 Y4 | Y | 0 | |\n"
                 "4 | X4 | X | 2 | |\n"
                 "5 | Y4 X4 | | 0 | |\n"
                 "6 | Y4 X4 | X | 0 | |\n",
                 6);
  ScheduleTable table;
  play(engines().back(), config, requests, std::nullopt, {&table});
  CHECK(table.run().watchdog.find("preemptions without a single token: ") != std::string::npos);
  for (const char* part : {"X evicts Y", "X evicts itself", "Y evicts X", "Y evicts itself"}) {
    CAPTURE(table.run().watchdog);
    CHECK(table.run().watchdog.find(part) != std::string::npos);
  }
}

TEST_CASE("the schedules of the scenario files are these tables") {
  CHECK(kept_schedule("priority-evicts-the-last-that-came") == g5b_distinct);
  CHECK(kept_schedule("priority-evicts-the-first-of-one-instant") == g5b_simultaneous);
  CHECK(kept_schedule("victim-gives-tokens-back") == gives_back);
  CHECK(kept_schedule("more-run-than-the-budget") == more_than_the_budget);
}

}  // namespace decodesim::tests
