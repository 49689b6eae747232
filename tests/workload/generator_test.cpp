// Mixtures, prefixes, sessions, and when a generator ends.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "sim/workload/content.hpp"
#include "sim/workload/request_source.hpp"
#include "tests/support/draws.hpp"

namespace decodesim {

namespace {

LengthSpec uniform(std::int64_t min, std::int64_t max) { return {LengthDistribution::uniform, min, max}; }

WorkloadSpec generator(std::int64_t count, double rate = 5) {
  WorkloadSpec workload;
  workload.num_requests = count;
  workload.arrival = {ArrivalProcess::poisson, rate};
  workload.input_tokens = uniform(100, 900);
  workload.output_tokens = uniform(1, 60);
  return workload;
}

/// All requests in the order in which a server would be asked that answers each at once; every promise of a source is checked
/// on the way.
std::vector<Request> walked(const WorkloadSpec& workload, std::uint64_t seed) {
  const auto source = make_request_source(workload, seed);
  std::vector<Request> requests;
  Time before{};
  std::int64_t next_index = 0;
  while (auto first = source->next()) {
    REQUIRE(first->arrival >= before);
    REQUIRE(first->turn <= 1);
    before = first->arrival;
    std::optional<Request> request = first;
    while (request) {
      REQUIRE(request->index == next_index++);
      REQUIRE(request->input_tokens >= 1);
      REQUIRE(request->output_tokens >= 1);
      REQUIRE(request->max_tokens >= request->output_tokens);
      std::int64_t shared = 0;
      for (const TokenRun& run : request->content) shared += run.tokens;
      REQUIRE(shared <= request->input_tokens);
      requests.push_back(*request);
      const Request ended = *request;
      request = source->next_turn(ended);
      if (request) {
        REQUIRE(request->session == ended.session);
        REQUIRE(request->turn == ended.turn + 1);
      }
    }
  }
  CHECK(next_index == source->count());
  CHECK(!source->next());
  return requests;
}

ClientSpec client(const std::string& name, double share) {
  ClientSpec one;
  one.name = name;
  one.share = share;
  return one;
}

}  // namespace

TEST_CASE("a duration takes whoever comes before its end, and the smaller of duration and number counts") {
  WorkloadSpec workload = generator(0);
  workload.arrival = {ArrivalProcess::constant, 1};
  workload.duration = std::chrono::seconds(2);
  CHECK(walked(workload, 1).size() == 2);  // at 0 and at 1 s; who would come at 2 s comes too late
  workload.duration = Duration(2'000'000'001);
  CHECK(walked(workload, 1).size() == 3);
  workload.num_requests = 1;
  CHECK(walked(workload, 1).size() == 1);
  WorkloadSpec random = generator(0, 50);
  random.duration = std::chrono::seconds(100);
  const auto some = walked(random, 3);
  CHECK(some.back().arrival < Time(*random.duration));
  random.duration.reset();
  random.num_requests = static_cast<std::int64_t>(some.size()) + 1;
  const auto one_more = walked(random, 3);
  CHECK(one_more.back().arrival >= Time(std::chrono::seconds(100)));
  CHECK(std::equal(some.begin(), some.end(), one_more.begin()));
}

TEST_CASE("a closed loop with a duration closes at its end, and its count is an upper bound") {
  WorkloadSpec workload = generator(0);
  workload.max_concurrency = 4;
  workload.duration = std::chrono::seconds(60);
  workload.think_time = {DurationDistribution::exponential, std::chrono::seconds(2), 0};
  const auto source = make_request_source(workload, 1);
  CHECK(source->closes() == Time(std::chrono::seconds(60)));
  CHECK(source->concurrency() == 4);
  CHECK(source->count() == 1'000'000'000);
  double waited = 0;
  for (int i = 0; i < 10'000; ++i) waited += to_seconds(source->next()->think_time);
  CHECK(std::abs(waited / 10'000 - 2) < 3 * 2 / std::sqrt(10'000));
  workload.num_requests = 30;
  CHECK(walked(workload, 1).size() == 30);
  WorkloadSpec open = generator(30);
  CHECK(!make_request_source(open, 1)->closes());
}

TEST_CASE("a client's own lengths, tenant and limits are its alone, and move no draw of the others") {
  WorkloadSpec workload = generator(20'000);
  workload.priority = 3;
  workload.timeout = std::chrono::seconds(30);
  workload.clients = {client("chat", 3), client("batch", 1)};
  const auto before = walked(workload, 5);
  workload.clients[1].input_tokens = uniform(5000, 6000);
  workload.clients[1].tenant = "bert";
  workload.clients[1].slo_class = "background";
  workload.clients[1].priority = 0;
  workload.clients[1].timeout = std::chrono::seconds(900);
  workload.clients[1].cancel = {0.25, {DurationDistribution::constant, std::chrono::seconds(1), 0}};
  const auto after = walked(workload, 5);
  REQUIRE(after.size() == before.size());
  double batch = 0, cancelled = 0;
  for (std::size_t i = 0; i < after.size(); ++i) {
    REQUIRE(after[i].arrival == before[i].arrival);
    REQUIRE(after[i].output_tokens == before[i].output_tokens);
    if (before[i].slo_class == "chat") {
      REQUIRE(after[i] == before[i]);
      REQUIRE(after[i].priority == 3);
      REQUIRE(after[i].timeout == std::chrono::seconds(30));
      continue;
    }
    ++batch;
    REQUIRE(after[i].slo_class == "background");
    REQUIRE(after[i].tenant == "bert");
    REQUIRE(after[i].priority == 0);
    REQUIRE(after[i].timeout == std::chrono::seconds(900));
    REQUIRE(after[i].input_tokens >= 5000);
    if (after[i].cancel_after) ++cancelled;
  }
  // Binomial counts, within three standard errors.
  CHECK(std::abs(batch - 5000) < 3 * std::sqrt(20'000 * 0.25 * 0.75));
  CHECK(std::abs(cancelled / batch - 0.25) < 3 * std::sqrt(0.25 * 0.75 / batch));
}

TEST_CASE("clients with arrivals of their own keep them whoever else comes") {
  WorkloadSpec workload = generator(0);
  workload.arrival = {};
  workload.duration = std::chrono::seconds(200);
  ClientSpec steady = client("steady", 1);
  steady.share.reset();
  steady.has_arrival = true;
  steady.arrival = {ArrivalProcess::constant, 2};
  ClientSpec bursty = steady;
  bursty.name = "bursty";
  bursty.arrival = {ArrivalProcess::gamma, 5, 3.0};
  workload.clients = {bursty};
  std::vector<Time> alone;
  for (const Request& request : walked(workload, 2)) alone.push_back(request.arrival);
  workload.clients = {steady, bursty};
  std::vector<Time> beside;
  std::int64_t evenly = 0;
  for (const Request& request : walked(workload, 2)) {
    if (request.slo_class == "bursty") {
      beside.push_back(request.arrival);
    } else {
      CHECK(request.arrival == Time(std::chrono::milliseconds(500 * evenly++)));
    }
  }
  CHECK(evenly == 400);
  CHECK(beside == alone);
}

TEST_CASE("prefixes follow Zipf's law, are part of the prompt or come on top, and are a client's own") {
  WorkloadSpec workload = generator(40'000);
  workload.prefix_groups.groups = 5;
  workload.prefix_groups.tokens_included = 64;
  workload.prefix_groups.zipf = 1.2;
  const auto plain = walked(generator(40'000), 4);
  const auto included = walked(workload, 4);
  std::map<std::string, double> counts;
  for (std::size_t i = 0; i < included.size(); ++i) {
    REQUIRE(included[i].input_tokens == plain[i].input_tokens);
    REQUIRE(included[i].content == std::vector{prefix_of_group(included[i].prefix_group, 64)});
    ++counts[included[i].prefix_group];
  }
  double sum = 0;
  for (int k = 1; k <= 5; ++k) sum += std::pow(k, -1.2);
  for (int k = 1; k <= 5; ++k) {
    const double p = std::pow(k, -1.2) / sum;
    CAPTURE(k);
    CHECK(std::abs(counts[std::to_string(k - 1)] - 40'000 * p) < 3 * std::sqrt(40'000 * p * (1 - p)));
  }
  workload.prefix_groups.place = PrefixPlace::added;
  workload.prefix_groups.tokens_added = 64;
  const auto added = walked(workload, 4);
  for (std::size_t i = 0; i < added.size(); ++i) {
    REQUIRE(added[i].input_tokens == plain[i].input_tokens + 64);
    REQUIRE(added[i].content == included[i].content);
  }
  workload.clients = {client("a", 1), client("b", 1)};
  workload.clients[1].prefix_groups = workload.prefix_groups;
  for (const Request& request : walked(workload, 4))
    REQUIRE(request.prefix_group.text().starts_with("b/") == (request.slo_class == "b"));
}

TEST_CASE("each turn of a session asks for all that was said before and something new, after its think time") {
  WorkloadSpec workload = generator(2000);
  workload.sessions.turns = uniform(1, 6);
  workload.sessions.think_time = {DurationDistribution::exponential, std::chrono::seconds(3), 0};
  workload.sessions.first_input = uniform(2000, 2100);
  workload.prefix_groups.groups = 2;
  workload.prefix_groups.tokens_included = 32;
  const auto requests = walked(workload, 8);
  CHECK(requests.size() == 2000);  // turns count, and the last session is cut
  std::map<std::string, std::int64_t> lengths;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const Request& request = requests[i];
    lengths[request.session] = request.turn;
    if (request.turn == 1) {
      REQUIRE(request.input_tokens >= 2000);
      REQUIRE(request.input_tokens <= 2100);
      REQUIRE(request.think_time == Duration{});
      continue;
    }
    const Request& before = requests[i - 1];
    const std::int64_t added = request.input_tokens - before.input_tokens - before.output_tokens;
    REQUIRE(added >= 100);
    REQUIRE(added <= 900);
    Request expected = request;
    expected.content.clear();
    continue_session(before, expected);
    REQUIRE(request.content == expected.content);
    std::int64_t said = 0;
    for (const TokenRun& run : request.content) said += run.tokens;
    REQUIRE(said == before.input_tokens + before.output_tokens);
    REQUIRE(request.content.front() == requests[i - static_cast<std::size_t>(request.turn) + 1].content.front());
  }
  // Uniform on 1..6: mean 3.5, variance 35/12.
  const auto sessions = static_cast<double>(lengths.size());
  CHECK(std::abs(2000 / sessions - 3.5) < 3 * std::sqrt(35.0 / 12 / sessions) + 6 / sessions);
}

TEST_CASE("a session ends before the turn that would pass its context") {
  WorkloadSpec workload = generator(500);
  workload.sessions.turns = {LengthDistribution::constant, 50, 50};
  workload.sessions.max_context = 3000;
  const auto requests = walked(workload, 8);
  std::int64_t longest = 0;
  std::set<std::string> sessions;
  for (const Request& request : requests) {
    REQUIRE(request.input_tokens + request.output_tokens <= 3000);
    longest = std::max(longest, request.input_tokens + request.output_tokens);
    sessions.insert(request.session);
  }
  CHECK(longest > 2500);
  CHECK(sessions.size() > 50);
}

TEST_CASE("sessions in an open loop for a time begin before its end, and count their turns at most") {
  WorkloadSpec workload = generator(0, 2);
  workload.duration = std::chrono::seconds(100);
  workload.sessions.turns = uniform(2, 4);
  const auto requests = walked(workload, 6);  // checks that count() is what an idle server would be asked
  CHECK(requests.size() > 400);
  CHECK(make_request_source(workload, 6)->closes() == Time(std::chrono::seconds(100)));
}

TEST_CASE("next_turn keeps to its session, in whatever order requests end") {
  WorkloadSpec workload = generator(300);
  workload.sessions.turns = uniform(1, 5);
  const auto in_order = walked(workload, 9);
  const auto source = make_request_source(workload, 9);
  std::vector<Request> running;
  std::vector<Request> seen;
  while (auto request = source->next()) running.push_back(*request);
  tests::Draws draws(1);
  while (!running.empty()) {
    const auto at = running.begin() + draws.between(0, static_cast<std::int64_t>(running.size()) - 1);
    const Request ended = *at;
    running.erase(at);
    seen.push_back(ended);
    if (auto turn = source->next_turn(ended)) running.push_back(*turn);
    CHECK(!source->next_turn(ended));  // asked twice, it has nothing more
  }
  std::sort(seen.begin(), seen.end(), [](const Request& a, const Request& b) { return a.index < b.index; });
  CHECK(seen == in_order);
}

TEST_CASE("any generator gives as many requests as it counts, with consecutive indexes, all valid") {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    CAPTURE(seed);
    tests::Draws draws(seed);
    WorkloadSpec workload = generator(draws.between(1, 300));
    workload.arrival.process =
        draws.pick({ArrivalProcess::all_at_once, ArrivalProcess::constant, ArrivalProcess::poisson,
                    ArrivalProcess::gamma, ArrivalProcess::weibull, ArrivalProcess::on_off});
    workload.arrival.cv = draws.pick({0.5, 1.0, 3.0});
    workload.arrival.on = std::chrono::seconds(draws.between(1, 9));
    workload.arrival.off = std::chrono::seconds(draws.between(0, 9));
    const bool varies =
        workload.arrival.process != ArrivalProcess::all_at_once && workload.arrival.process != ArrivalProcess::on_off;
    if (varies && draws.chance(40)) {
      workload.arrival.stages = {{3, {}, std::chrono::seconds(20)}, {0, 8.0, std::chrono::seconds(10)}};
      workload.arrival.repeat = draws.chance(50);
    } else if (varies && draws.chance(30)) {
      workload.arrival.diurnal = {1, std::chrono::seconds(30)};
    }
    if (draws.chance(40)) workload.duration = std::chrono::seconds(draws.between(1, 60));
    if (draws.chance(40)) {
      workload.prefix_groups.groups = draws.between(1, 9);
      workload.prefix_groups.place = draws.pick({PrefixPlace::included, PrefixPlace::added});
      workload.prefix_groups.tokens_included = workload.prefix_groups.tokens_added = draws.between(1, 100);
      workload.prefix_groups.zipf = draws.pick({0.0, 0.7});
    }
    if (draws.chance(50)) {
      workload.sessions.turns = uniform(1, draws.between(1, 8));
      if (draws.chance(50)) workload.sessions.max_context = draws.between(1000, 4000);
    }
    if (draws.chance(50)) workload.clients = {client("a", 1), client("b", 4)};
    if (!workload.clients.empty() && draws.chance(50)) workload.clients[0].sessions.turns = uniform(1, 3);
    const auto requests = walked(workload, seed);
    if (!workload.duration && workload.arrival.stages.empty())
      CHECK(static_cast<std::int64_t>(requests.size()) == workload.num_requests);
    CHECK(walked(workload, seed) == requests);
    if (draws.chance(50)) {
      workload.max_concurrency = draws.between(1, 20);
      workload.arrival = {};
      CHECK(static_cast<std::int64_t>(walked(workload, seed).size()) == workload.num_requests);
    }
  }
}

}  // namespace decodesim
