// Iteration-level and request-level batching, on both engines.

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/support/every_engine.hpp"
#include "tests/support/invariants.hpp"

namespace decodesim::tests {

namespace {

const ShapeCost by_shape;

ServerConfig server(const char* engine) {
  ServerConfig config = server_on_seconds(12, 4);
  config.max_model_len = 16;
  config.scheduler.engine = engine;
  return config;
}

std::vector<Request> requests() {
  const auto request = [](std::int64_t index, const char* id, std::int64_t input, std::int64_t output) {
    return Request{index, id, Time{}, input, output, output, 0};
  };
  return {request(0, "A", 6, 4), request(1, "B", 5, 2), request(2, "C", 3, 3), request(3, "D", 2, 2)};
}

std::string schedule(const Engine& engine, const ServerConfig& config) {
  ScheduleTable table;
  InvariantChecker invariants(config);
  play(engine, config, requests(), std::nullopt, {&table, &invariants});
  CHECK(invariants.violation() == "");
  return table.text();
}

/// How long the engine takes where every slot of the batch has a price.
Duration duration(const Engine& engine, ServerConfig config) {
  config.cost = &by_shape;
  config.grid_step = Duration{};
  ScheduleTable table;
  play(engine, config, requests(), std::nullopt, {&table});
  return table.run().end.time_since_epoch();
}

}  // namespace

TEST_CASE("under iteration-level scheduling a place is filled as soon as it is free") {
  for (const Engine& engine : engines()) {
    CAPTURE(engine.name);
    CHECK(schedule(engine, server("orca")) ==
          "1 | A6 B5 C3 | | 0 | | D\n"
          "2 | A1 B1 C1 | | 0 | B | D\n"
          "3 | A1 C1 D2 | | 0 | C |\n"
          "4 | A1 D1 | | 4 | A D |\n");
  }
}

TEST_CASE("a static batch lets nobody in before it has ended") {
  for (const Engine& engine : engines()) {
    CAPTURE(engine.name);
    CHECK(schedule(engine, server("static-batch")) ==
          "1 | A6 B5 C3 | | 0 | | D\n"
          "2 | A1 B1 C1 | | 0 | B | D\n"
          "3 | A1 C1 | | 4 | C | D\n"
          "4 | A1 | | 8 | A | D\n"
          "5 | D2 | | 8 | |\n"
          "6 | D1 | | 8 | D |\n");
  }
}

TEST_CASE("a static batch that holds its slots keeps their memory and computes them to its end") {
  ServerConfig holding = server("static-batch");
  holding.scheduler.finished_slots = FinishedSlots::hold_until_batch_end;
  for (const Engine& engine : engines()) {
    CAPTURE(engine.name);
    CHECK(schedule(engine, holding) ==
          "1 | A6 B5 C3 | | 0 | | D\n"
          "2 | A1 B1 C1 | | 0 | B | D\n"
          "3 | A1 C1 | | 0 | C | D\n"
          "4 | A1 | | 0 | A | D\n"
          "5 | D2 | | 8 | |\n"
          "6 | D1 | | 8 | D |\n");
    CHECK(duration(engine, holding) > duration(engine, server("static-batch")));
  }
}

TEST_CASE("a request whose reservation the empty memory cannot hold is refused, and the next is served") {
  ServerConfig config = server("orca");
  config.scheduler.reservation = Reservation::oracle;
  config.usable_blocks = config.num_blocks = 2;  // eight slots: A needs ten, B seven, C six, D four
  for (const Engine& engine : engines()) {
    CAPTURE(engine.name);
    ScheduleTable table;
    InvariantChecker invariants(config);
    play(engine, config, requests(), std::nullopt, {&table, &invariants});
    CHECK(invariants.violation() == "");
    CHECK(table.endings() ==
          "A rejected (never fits the KV pool) at 0 s\nB completed at 2 s\nC completed at 5 s\nD completed at 7 s\n");
  }
}

}  // namespace decodesim::tests
