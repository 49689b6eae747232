// What each order of the queue and each admission test changes in a schedule of vLLM V1's loop, on both engines.

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "sim/core/random.hpp"
#include "tests/support/every_engine.hpp"
#include "tests/support/invariants.hpp"

namespace decodesim::tests {

namespace {

ServerConfig server(std::int64_t places, std::int64_t blocks) {
  ServerConfig config = vllm_v1_on_seconds(blocks, 4, 100);
  config.max_model_len = 100;
  config.scheduler.max_num_seqs = places;
  config.seed = 7;
  return config;
}

/// The first pass in which each request got tokens, by id.
std::map<std::string, std::int64_t> first_passes(const Engine& engine, const ServerConfig& config,
                                                 const std::vector<Request>& requests) {
  ScheduleTable table;
  InvariantChecker invariants(config);
  play(engine, config, requests, std::nullopt, {&table, &invariants});
  CHECK(invariants.violation() == "");
  std::map<std::string, std::int64_t> first;
  for (const ScheduleRow& row : table.rows()) {
    for (const Request& request : requests) {
      if (row.scheduled.find(request.id) != std::string::npos) first.emplace(request.id, row.pass);
    }
  }
  return first;
}

/// The ids in the order in which they began.
std::string order_under(const std::string& policy, const std::vector<Request>& requests) {
  ServerConfig config = server(1, 50);
  config.scheduler.policies.queue_order = policy;
  std::string seen;
  for (const Engine& engine : engines()) {
    const auto first = first_passes(engine, config, requests);
    std::map<std::int64_t, std::string> by_pass;
    for (const auto& [id, pass] : first) by_pass[pass] = id;
    std::string order;
    for (const auto& [pass, id] : by_pass) order += id;
    CHECK((seen.empty() || seen == order));
    seen = order;
  }
  return seen;
}

}  // namespace

TEST_CASE("each order of the queue lets the same requests begin in another order") {
  const auto request = [](std::int64_t index, const char* id, std::int64_t output, std::int64_t priority,
                          const char* tenant) {
    Request one{index, id, Time{}, 1, output, output, priority};
    one.tenant = tenant;
    return one;
  };
  std::vector<Request> requests{request(0, "A", 4, 3, "u"), request(1, "B", 1, 2, "u"), request(2, "C", 2, 1, "v"),
                                request(3, "D", 3, 0, "v")};
  requests[0].deadline = std::chrono::seconds(9);
  requests[2].deadline = std::chrono::seconds(1);
  requests[3].deadline = std::chrono::seconds(5);
  CHECK(order_under("fcfs", requests) == "ABCD");
  CHECK(order_under("priority", requests) == "DCBA");
  CHECK(order_under("sjf", requests) == "BCDA");
  CHECK(order_under("srpt", requests) == "BCDA");
  CHECK(order_under("deadline", requests) == "CDAB");
  // u gets A (1 + 2 x 4 = 9), v gets C (1 + 2 x 2 = 5) and, still behind, D (12), then u gets B.
  CHECK(order_under("fair", requests) == "ACDB");

  std::vector<Request> drawn = requests;
  const IndexedDraws draws(7, "queue order");
  std::sort(drawn.begin(), drawn.end(),
            [&](const Request& a, const Request& b) { return draws.number(a.index) < draws.number(b.index); });
  std::string expected;
  for (const Request& one : drawn) expected += one.id;
  CHECK(order_under("random", requests) == expected);
}

TEST_CASE("under longest-prefix who finds more overtakes, as long as it finds it") {
  // A fills the cache with what C finds one block of and D two; when D has ended B, which finds nothing, is the oldest.
  std::vector<Request> requests{{0, "A", Time{}, 12, 1, 1, 0},
                                {1, "B", Time{}, 12, 1, 1, 0},
                                {2, "C", Time{}, 12, 1, 1, 0},
                                {3, "D", Time{}, 12, 1, 1, 0}};
  requests[0].content = {{1, 12}};
  requests[2].content = {{1, 4}};
  requests[3].content = {{1, 8}};
  const auto order_with = [&](std::int64_t blocks, const char* order) {
    ServerConfig config = server(1, blocks);
    config.prefix_caching = true;
    config.scheduler.policies.queue_order = order;
    std::string seen;
    for (const Engine& engine : engines()) {
      std::map<std::int64_t, std::string> by_pass;
      for (const auto& [id, pass] : first_passes(engine, config, requests)) by_pass[pass] = id;
      std::string begun;
      for (const auto& [pass, id] : by_pass) begun += id;
      CHECK((seen.empty() || seen == begun));
      seen = begun;
    }
    return seen;
  };
  CHECK(order_with(50, "fcfs") == "ABCD");
  CHECK(order_with(50, "longest-prefix") == "ADCB");
  // A's third block, which D takes no part of, is the first to be handed out, and D needs no other.
  CHECK(order_with(3, "longest-prefix") == "ADCB");
  // A request that reads nothing finds nothing.
  requests[3].no_prefix_read = true;
  CHECK(order_with(50, "longest-prefix") == "ACBD");
}

TEST_CASE("srpt counts what a victim has generated already, and sjf does not") {
  // B is evicted when A needs its third block; by then B lacks two of its six tokens, and C lacks three of three.
  ServerConfig config = server(2, 5);
  const std::vector<Request> requests{
      {0, "A", Time{}, 7, 6, 6, 0}, {1, "B", Time{}, 5, 6, 6, 0}, {2, "C", Time(std::chrono::seconds(1)), 4, 3, 3, 0}};
  for (const Engine& engine : engines()) {
    CAPTURE(engine.name);
    const auto next_after_a = [&](const char* order) {
      config.scheduler.policies.queue_order = order;
      ScheduleTable table;
      play(engine, config, requests, std::nullopt, {&table});
      for (const ScheduleRow& row : table.rows()) {
        if (row.preempted == "B") return row.waiting;
      }
      return std::string();
    };
    CHECK(next_after_a("srpt") == "B C");
    CHECK(next_after_a("sjf") == "C B");
  }
}

TEST_CASE("each admission test lets the second of two requests in at another pass") {
  // Nine blocks of four tokens; both ask for up to 16 tokens behind 4, and the first really generates 12.
  const std::vector<Request> requests{{0, "A", Time{}, 4, 12, 16, 0}, {1, "B", Time{}, 4, 2, 16, 0}};
  const auto pass_of_b = [&](const char* admission, double ratio) {
    ServerConfig config = server(4, 9);
    config.scheduler.policies.admission = admission;
    config.scheduler.admission_ratio = ratio;
    std::int64_t seen = 0;
    for (const Engine& engine : engines()) {
      const std::int64_t pass = first_passes(engine, config, requests).at("B");
      CHECK((seen == 0 || seen == pass));
      seen = pass;
    }
    return seen;
  };
  CHECK(pass_of_b("first-chunk", 0.7) == 1);
  CHECK(pass_of_b("whole-sequence", 0.7) == 1);
  // Five blocks each do not fit in nine.
  CHECK(pass_of_b("prompt-and-max", 0.7) == 13);
  // 32 tokens are free beside A's prompt; of its 16 that may come all, or 4.8, are set aside; B counts 4 + 16 + 4.
  CHECK(pass_of_b("ratio-weighted", 1.0) == 13);
  CHECK(pass_of_b("ratio-weighted", 0.3) == 1);
  // B leaves last: when A, with g tokens, has generated 15 - g more there are 2 x (15 - g) + 7 + (7 + g) tokens, and
  // that is below 36 from g = 9 on.
  CHECK(pass_of_b("peak-estimate", 0.7) == 10);
}

}  // namespace decodesim::tests
