// Clients that give up, users who cancel, and the turns of sessions that come of answers, on both engines.

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "sim/report/measurements.hpp"
#include "tests/support/every_engine.hpp"
#include "tests/support/requests.hpp"

namespace decodesim::tests {

namespace {

constexpr Duration second{1'000'000'000};

/// How each request ended: "a 6 tokens at 6 s", with the reason where it was not answered.
class Endings : public Observer {
 public:
  void ended(const RequestFacts& facts) override {
    text += facts.request->id + " " + std::to_string(facts.output_tokens) + " tokens at " + seconds(facts.ended) + " s";
    if (!facts.reason.empty()) text += ": " + std::string(facts.reason);
    text += '\n';
  }
  std::string text;

 private:
  static std::string seconds(Time at) {
    const std::int64_t tenths = at.time_since_epoch() / (second / 10);
    return std::to_string(tenths / 10) + (tenths % 10 == 0 ? "" : "." + std::to_string(tenths % 10));
  }
};

/// One sequence at a time, in steps of a second that follow each other as they come.
std::string endings(const std::vector<Request>& requests, std::optional<std::int64_t> concurrency = std::nullopt,
                    std::optional<Time> closes = std::nullopt) {
  ServerConfig server = vllm_v1_on_seconds(20, 4, 64);
  server.scheduler.max_num_seqs = 1;
  server.grid_step = Duration{};
  std::string first;
  for (const Engine& engine : engines()) {
    CAPTURE(engine.name);
    Endings told;
    play(engine, server, requests, concurrency, {&told}, closes);
    if (first.empty()) first = told.text;
    CHECK(told.text == first);
  }
  return first;
}

Request turn_of(std::int64_t index, const std::string& id, std::int64_t turn, std::int64_t output,
                Duration think = {}) {
  Request one = request(index, id, 4, output);
  one.session = "s";
  one.turn = turn;
  one.think_time = think;
  return one;
}

}  // namespace

TEST_CASE("who waits and gives up leaves at once, without a token") {
  std::vector<Request> requests{request(0, "a", 4, 6), request(1, "b", 4, 2), request(2, "c", 4, 1)};
  requests[1].timeout = 2 * second;
  CHECK(endings(requests) ==
        "b 0 tokens at 2 s: timed out\n"
        "a 6 tokens at 6 s\n"
        "c 1 tokens at 7 s\n");
}

TEST_CASE("who leaves in the midst of a step gets no token of it, and makes room at its end") {
  std::vector<Request> requests{request(0, "a", 4, 6), request(1, "b", 4, 1)};
  requests[0].cancel_after = 5 * second / 2;
  CHECK(endings(requests) ==
        "a 2 tokens at 2.5 s: cancelled by its client\n"
        "b 1 tokens at 4 s\n");
}

TEST_CASE("who gets the last token in the instant of its timeout was answered in time") {
  std::vector<Request> requests{request(0, "a", 4, 3)};
  requests[0].timeout = 3 * second;
  CHECK(endings(requests) == "a 3 tokens at 3 s\n");
  requests[0].timeout = 3 * second - Duration(1);
  CHECK(endings(requests) == "a 2 tokens at 2.9 s: timed out\n");
}

TEST_CASE("the earlier of timeout and cancellation counts, and of both at once the timeout") {
  for (const auto& [timeout, cancel, reason] :
       {std::tuple{2, 2, "timed out"}, std::tuple{3, 2, "cancelled by its client"}, std::tuple{2, 3, "timed out"}}) {
    std::vector<Request> requests{request(0, "a", 4, 9)};
    requests[0].timeout = timeout * second;
    requests[0].cancel_after = cancel * second;
    CHECK(endings(requests) == "a 2 tokens at 2 s: " + std::string(reason) + "\n");
  }
}

TEST_CASE("a turn comes its think time after the answer before it, or at its own time where that is later") {
  std::vector<Request> requests{turn_of(0, "a1", 1, 3), turn_of(1, "a2", 2, 1, 2 * second),
                                turn_of(2, "a3", 3, 1, 2 * second)};
  requests[2].arrival = Time(20 * second);
  CHECK(endings(requests) ==
        "a1 3 tokens at 3 s\n"
        "a2 1 tokens at 6 s\n"
        "a3 1 tokens at 21 s\n");
}

TEST_CASE("turns behind one that was not answered are never asked, and counted as cancelled in its instant") {
  std::vector<Request> requests{turn_of(0, "a1", 1, 3), turn_of(1, "a2", 2, 1), turn_of(2, "a3", 3, 1),
                                request(3, "b", 4, 1)};
  requests[0].timeout = 2 * second;
  CHECK(endings(requests) ==
        "a1 2 tokens at 2 s: timed out\n"
        "a2 0 tokens at 2 s: the turn before it was not answered\n"
        "a3 0 tokens at 2 s: the turn before it was not answered\n"
        "b 1 tokens at 3 s\n");
}

TEST_CASE("a place of a closed loop is a session's from its first turn to its last") {
  const std::vector<Request> requests{turn_of(0, "a1", 1, 1), turn_of(1, "a2", 2, 1, 5 * second),
                                      request(2, "b", 4, 1)};
  CHECK(endings(requests, 1) ==
        "a1 1 tokens at 1 s\n"
        "a2 1 tokens at 7 s\n"
        "b 1 tokens at 8 s\n");
}

TEST_CASE("nobody asks from the closing on, but who asked before is answered") {
  const std::vector<Request> requests{turn_of(0, "a1", 1, 3), turn_of(1, "a2", 2, 1), request(2, "b", 4, 1)};
  CHECK(endings(requests, 1, Time(2 * second)) == "a1 3 tokens at 3 s\n");
  CHECK(endings(requests, 1, Time(4 * second)) ==
        "a1 3 tokens at 3 s\n"
        "a2 1 tokens at 4 s\n");
}

TEST_CASE("tokens of those who left are told as unanswered") {
  std::vector<Request> requests{request(0, "a", 4, 6), request(1, "b", 4, 1)};
  requests[0].timeout = 5 * second / 2;
  ServerConfig server = vllm_v1_on_seconds(20, 4, 64);
  RunHeader header;
  header.requests = 2;
  header.usable_blocks = 20;
  header.block_size = 4;
  for (const Engine& engine : engines()) {
    CAPTURE(engine.name);
    Measurements measurements(header, {}, {});
    play(engine, server, requests, std::nullopt, {&measurements});
    const Report report = measurements.report();
    CHECK(report.unanswered_tokens == 2);
    CHECK(report.emitted_tokens == 3);
    CHECK(report.cancelled == 1);
    CHECK(report.completed == 1);
  }
}

}  // namespace decodesim::tests
