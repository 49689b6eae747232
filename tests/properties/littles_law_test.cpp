// Little's law: the number inside, over time, is the rate of arrivals times the time that each stays.

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "tests/support/draw_clients.hpp"
#include "tests/support/engines.hpp"
#include "tests/support/every_engine.hpp"
#include "tests/support/random_scenario.hpp"

namespace decodesim::tests {

namespace {

/// The number inside, integrated over time, and what requests say of their stay.
class Inside : public Observer {
 public:
  void arrived(const Request& request) override {
    change(request.arrival, 1);
    last_arrival = request.arrival;
    arrivals[request.index] = request.arrival;
  }
  void ended(const RequestFacts& facts) override {
    change(facts.ended, -1);
    stays += facts.ended - facts.request->arrival;
    all_complete = all_complete && facts.outcome == Outcome::completed;
  }

  std::int64_t integral = 0;  // requests times nanoseconds
  std::int64_t until_last_arrival = 0;
  std::int64_t inside = 0;
  Duration stays{};
  Time last_arrival{};
  bool all_complete = true;
  std::map<std::int64_t, Time> arrivals;

 private:
  void change(Time at, std::int64_t by) {
    integral += inside * (at - now_).count();
    now_ = at;
    if (by > 0) until_last_arrival = integral;
    inside += by;
  }
  Time now_{};
};

}  // namespace

TEST_CASE("the number inside over time is the sum of the times that requests stay, to the nanosecond") {
  int complete = 0;
  const std::uint64_t last = std::min<std::uint64_t>(last_seed(), 1500);
  for (std::uint64_t seed = 1; seed <= last; ++seed) {
    const RandomScenario scenario = random_scenario(seed);
    Inside inside;
    play(engines().back(), scenario.server, scenario.requests, scenario.concurrency, {&inside}, scenario.closes);
    CAPTURE(seed);
    CHECK(inside.inside == 0);
    CHECK(inside.integral == inside.stays.count());
    complete += inside.all_complete ? 1 : 0;
  }
  CHECK(complete > static_cast<int>(last) / 4);
}

TEST_CASE("while clients are left a closed loop without thinking keeps all its places taken") {
  for (std::int64_t places : {1, 3, 8}) {
    const ServerConfig server = vllm_v1_on_seconds(500, 4, 64);
    std::vector<Request> requests;
    for (std::int64_t i = 0; i < 60; ++i) {
      Request request;
      request.index = i;
      request.input_tokens = 1 + i * 7 % 13;
      request.output_tokens = request.max_tokens = 1 + i * 5 % 17;
      requests.push_back(request);
    }
    for (const Engine& engine : engines()) {
      Inside inside;
      play(engine, server, requests, places, {&inside});
      CAPTURE(places);
      const auto loaded = static_cast<double>(inside.last_arrival.time_since_epoch().count());
      CHECK(inside.all_complete);
      CHECK(loaded > 0);
      CHECK(static_cast<double>(inside.until_last_arrival) / loaded ==
            doctest::Approx(static_cast<double>(places)).epsilon(0.001));
    }
  }
}

TEST_CASE("in an open loop requests come when they come, whatever the server is") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const RandomScenario scenario = random_scenario(seed);
    if (scenario.concurrency) continue;
    CAPTURE(seed);
    Inside inside;
    play(engines().back(), scenario.server, scenario.requests, std::nullopt, {&inside}, scenario.closes);
    ServerConfig other = random_scenario(seed + 1).server;
    other.cost = scenario.server.cost;
    other.grid_step = scenario.server.grid_step;
    other.attention_clip = scenario.server.attention_clip;
    other.scheduler.never_fits = NeverFits::reject;  // so that no watchdog ends the run before all came
    Inside elsewhere;
    play(engines().back(), other, asked_once(scenario.requests), std::nullopt, {&elsewhere});
    for (const Request& request : scenario.requests) {
      CHECK(elsewhere.arrivals.count(request.index) <= 1);
      for (const Inside* one : {&inside, &elsewhere}) {
        const auto place = one->arrivals.find(request.index);
        const bool later_turn = one == &inside && request.turn > 1;
        if (place != one->arrivals.end() && !later_turn) CHECK(place->second == request.arrival);
      }
    }
  }
}

}  // namespace decodesim::tests
