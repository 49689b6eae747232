// Cases of other projects' tests about who asks for what and when, and about what is measured.

#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/core/statistics.hpp"
#include "sim/workload/request_source.hpp"
#include "sim/workload/statistics.hpp"
#include "sim/workload/traces/trace.hpp"
#include "tests/support/engines.hpp"
#include "tests/support/every_engine.hpp"
#include "tests/support/peer_cases.hpp"
#include "tests/support/requests.hpp"
#include "tests/support/vector_source.hpp"

namespace decodesim::tests {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// When each request came and ended, and how many were inside at most.
class Visits : public Observer {
 public:
  void arrived(const Request& request) override {
    arrivals.push_back(request.arrival);
    inside_peak = std::max(inside_peak, ++inside_);
  }
  void ended(const RequestFacts& facts) override {
    ends.push_back(facts.ended);
    --inside_;
  }

  std::vector<Time> arrivals;
  std::vector<Time> ends;
  std::int64_t inside_peak = 0;

 private:
  std::int64_t inside_ = 0;
};

std::string mooncake_row(std::int64_t tokens, const json& ids) {
  return "{\"timestamp\": 0, \"input_length\": " + std::to_string(tokens) +
         ", \"output_length\": 1, \"hash_ids\": " + ids.dump() + "}\n";
}

}  // namespace

TEST_CASE("peer il-17: nobody comes and no session goes on once the duration is over") {
  const auto known = peer_case("il-17");
  if (!known) return;
  WorkloadSpec workload;
  workload.arrival = {.process = ArrivalProcess::constant, .request_rate = known->at("inputs").at("rate")};
  workload.duration = seconds(known->at("inputs").at("duration").get<int>());
  workload.input_tokens = {.min = 8, .max = 8};
  workload.output_tokens = {.min = 2, .max = 2};
  const auto source = make_request_source(workload, 1);
  std::vector<Time> arrivals;
  while (const auto one = source->next()) arrivals.push_back(one->arrival);
  // There the first comes a gap after the start, here at it: as many, and as far apart.
  REQUIRE(arrivals.size() == known->at("expected").at("arrivals").size());
  CHECK(arrivals == std::vector<Time>{Time{}, Time(seconds(1))});

  // A turn that would come after it does not, one before it does.
  for (const auto& [think, asked] : {std::pair{seconds(1), 2u}, std::pair{seconds(9), 1u}}) {
    std::vector<Request> talk = alike(2, 4, 2);
    for (std::size_t i = 0; i < talk.size(); ++i) {
      talk[i].session = "s";
      talk[i].turn = static_cast<std::int64_t>(i) + 1;
    }
    talk[1].think_time = think;
    for (const Engine& engine : engines()) {
      CAPTURE(engine.name);
      VectorSource turns(talk, std::nullopt, Time(seconds(5)));
      Visits visits;
      const std::vector<Observer*> observers{&visits};
      engine.run(server_on_seconds(100, 4), turns, observers);
      CHECK(visits.arrivals.size() == asked);
    }
  }
}

TEST_CASE("peer il-19: a closed loop has its users in flight, and the next comes as one ends") {
  const auto known = peer_case("il-19");
  if (!known) return;
  const std::int64_t users = known->at("inputs").at("users");
  for (const Engine& engine : engines()) {
    CAPTURE(engine.name);
    Visits visits;
    play(engine, server_on_seconds(100, 4), alike(7, 4, 3), users, {&visits});
    CHECK(visits.inside_peak == known->at("expected").at("in_flight_never_exceeds"));
    REQUIRE(visits.arrivals.size() == 7);
    for (std::size_t i = static_cast<std::size_t>(users); i < visits.arrivals.size(); ++i)
      CHECK(visits.arrivals[i] == visits.ends[i - static_cast<std::size_t>(users)]);
  }
}

TEST_CASE("peer work-05: a session's next turn comes its delay after the answer") {
  const auto known = peer_case("work-05");
  if (!known) return;
  const Duration delay = milliseconds(known->at("inputs").at("delay_ms").get<int>());
  std::vector<Request> talk = alike(2, 4, 3);
  for (std::size_t i = 0; i < talk.size(); ++i) {
    talk[i].session = "s";
    talk[i].turn = static_cast<std::int64_t>(i) + 1;
  }
  talk[1].think_time = delay;
  for (const Engine& engine : engines()) {
    CAPTURE(engine.name);
    Visits visits;
    play(engine, server_on_seconds(100, 4), talk, std::nullopt, {&visits});
    REQUIRE(visits.arrivals.size() == 2);
    CHECK(visits.arrivals[1] == visits.ends[0] + delay);
  }
}

TEST_CASE("peer il-20: quantiles are exact and lie between order statistics") {
  const auto known = peer_case("il-20");
  if (!known) return;
  auto values = known->at("inputs").at("values").get<std::vector<double>>();
  CHECK(quantile(values, known->at("inputs").at("q")) == doctest::Approx(known->at("expected").at("value")));
}

TEST_CASE("peer work-04: the last hash id of a prompt stands for what is left of it") {
  const auto known = peer_case("work-04");
  if (!known) return;
  const json& inputs = known->at("inputs");
  TraceSpec spec;
  spec.block_size = inputs.at("block").get<std::int64_t>();
  const auto requests = parse_trace(mooncake_row(inputs.at("input_length"), inputs.at("hash_ids")), "t.jsonl", spec);
  REQUIRE(requests.size() == 1);
  std::vector<std::uint64_t> tokens;
  for (const TokenRun& run : requests[0].content)
    tokens.insert(tokens.end(), static_cast<std::size_t>(run.tokens), run.key);
  CHECK(tokens == known->at("expected").at("tokens").get<std::vector<std::uint64_t>>());
}

TEST_CASE("peer work-07: ids of a growing prompt stay those of its blocks, and each finds all of the one before") {
  const auto known = peer_case("work-07");
  if (!known) return;
  const auto prompts = known->at("inputs").at("prompts").get<std::vector<std::int64_t>>();
  std::string text;
  for (std::size_t i = 0; i < prompts.size(); ++i)
    text += mooncake_row(prompts[i], known->at("expected").at("hash_ids").at(i));
  TraceSpec spec;
  spec.block_size = known->at("inputs").at("block").get<std::int64_t>();
  WorkloadStatistics statistics;
  for (const Request& request : parse_trace(text, "t.jsonl", spec)) statistics.add(request);
  CHECK(statistics.requests() == 3);
  CHECK(statistics.prefix.found_tokens() == prompts[0] + prompts[1]);
}

}  // namespace decodesim::tests
