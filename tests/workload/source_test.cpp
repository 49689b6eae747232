#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/core/check.hpp"
#include "sim/workload/request_source.hpp"

namespace decodesim {

namespace {

std::vector<Request> all(const WorkloadSpec& workload, std::uint64_t seed) {
  const auto source = make_request_source(workload, seed);
  std::vector<Request> requests;
  while (auto request = source->next()) requests.push_back(*request);
  CHECK(static_cast<std::int64_t>(requests.size()) == source->count());
  CHECK(!source->next());
  return requests;
}

WorkloadSpec generator(std::int64_t count, ArrivalProcess process, double rate) {
  WorkloadSpec workload;
  workload.num_requests = count;
  workload.arrival = {process, rate};
  workload.input_tokens = {LengthDistribution::constant, 4096, 4096};
  workload.output_tokens = {LengthDistribution::constant, 16, 16};
  return workload;
}

std::int64_t nanoseconds(const Request& request) { return request.arrival.time_since_epoch().count(); }

}  // namespace

TEST_CASE("a list comes out by arrival, ties in the order listed, with its names and its positions as indexes") {
  WorkloadSpec workload;
  workload.kind = WorkloadKind::requests;
  const auto listed = [&](const char* id, std::int64_t arrival) {
    Request request{.index = 99, .id = id, .arrival = Time(Duration(arrival)), .input_tokens = 3, .output_tokens = 2};
    workload.requests.push_back(request);
  };
  listed("late", 7);
  listed("A", 5);
  listed("B", 5);
  listed("first", 0);
  const auto requests = all(workload, 1);
  REQUIRE(requests.size() == 4);
  const std::vector<std::string> order{"first", "A", "B", "late"};
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(requests[i].id == order[i]);
    CHECK(requests[i].index == static_cast<std::int64_t>(i));
    CHECK(requests[i].max_tokens == 2);  // where the list asks for no more
  }
}

TEST_CASE("a list that no scenario lets through is a broken invariant") {
  WorkloadSpec workload;
  workload.kind = WorkloadKind::requests;
  workload.requests = {{.index = 0, .id = "A", .arrival = {}, .input_tokens = 0, .output_tokens = 1}};
  CHECK_THROWS_AS(make_request_source(workload, 1), BrokenInvariant);
  workload.requests[0].input_tokens = 1;
  workload.requests[0].output_tokens = 4;
  workload.requests[0].max_tokens = 3;
  CHECK_THROWS_AS(make_request_source(workload, 1), BrokenInvariant);
}

TEST_CASE("at a constant rate request i arrives at i over the rate, to the nanosecond, however late") {
  const auto thirds = all(generator(1'000'000, ArrivalProcess::constant, 3), 1);
  for (const Request& request : thirds) {
    // Half a nanosecond up, in whole numbers: (2 i 10^9 + 3) / 6.
    REQUIRE(nanoseconds(request) == (2 * request.index * 1'000'000'000 + 3) / 6);
  }
  const auto tenths = all(generator(100'000, ArrivalProcess::constant, 0.1), 1);
  for (const Request& request : tenths) REQUIRE(nanoseconds(request) == request.index * 10'000'000'000);
}

TEST_CASE("all at once is at time zero") {
  for (const Request& request : all(generator(50, ArrivalProcess::all_at_once, 0), 1)) CHECK(nanoseconds(request) == 0);
}

TEST_CASE("Poisson arrivals have the mean and the spread of their rate, and never go back") {
  constexpr std::int64_t n = 20'000;
  for (const double rate : {0.5, 5.5, 40'000.0}) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const auto requests = all(generator(n, ArrivalProcess::poisson, rate), seed);
      double sum = 0, squares = 0, previous = 0;
      for (const Request& request : requests) {
        const double gap = (static_cast<double>(nanoseconds(request)) - previous) / 1e9 * rate;
        REQUIRE(gap >= 0);
        sum += gap;
        squares += gap * gap;
        previous = static_cast<double>(nanoseconds(request));
      }
      // Gaps in units of their mean: mean 1, standard error 1/sqrt(n); mean square 2, standard error sqrt(20/n).
      CHECK(std::abs(sum / n - 1) < 3 / std::sqrt(n));
      CHECK(std::abs(squares / n - 2) < 3.5 * std::sqrt(20.0 / n));
    }
  }
}

TEST_CASE("twice the rate plays the same arrivals at half the time, to the rounding") {
  const auto slow = all(generator(5000, ArrivalProcess::poisson, 4), 7);
  const auto fast = all(generator(5000, ArrivalProcess::poisson, 8), 7);
  for (std::size_t i = 0; i < slow.size(); ++i) CHECK(std::abs(nanoseconds(slow[i]) - 2 * nanoseconds(fast[i])) <= 2);
}

TEST_CASE("uniform lengths take every value of their range, ends included, with its mean") {
  WorkloadSpec workload = generator(20'000, ArrivalProcess::all_at_once, 0);
  workload.input_tokens = {LengthDistribution::uniform, 100, 300};
  workload.output_tokens = {LengthDistribution::uniform, 1, 8};
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    double inputs = 0, outputs = 0;
    std::vector<int> counts(9);
    std::int64_t least = 300, most = 100;
    for (const Request& request : all(workload, seed)) {
      REQUIRE(request.output_tokens >= 1);
      REQUIRE(request.output_tokens <= 8);
      CHECK(request.max_tokens == request.output_tokens);
      ++counts[static_cast<std::size_t>(request.output_tokens)];
      least = std::min(least, request.input_tokens);
      most = std::max(most, request.input_tokens);
      inputs += static_cast<double>(request.input_tokens);
      outputs += static_cast<double>(request.output_tokens);
    }
    CHECK(least == 100);
    CHECK(most == 300);
    for (std::size_t i = 1; i <= 8; ++i) CHECK(counts[i] > 0);
    // n values of a range of k have the variance (k^2 - 1) / 12.
    CHECK(std::abs(inputs / 20'000 - 200) < 3 * std::sqrt((201.0 * 201 - 1) / 12 / 20'000));
    CHECK(std::abs(outputs / 20'000 - 4.5) < 3 * std::sqrt(63.0 / 12 / 20'000));
  }
}

TEST_CASE("lengths do not depend on arrivals, nor arrivals and inputs on outputs: each has its own stream") {
  WorkloadSpec workload = generator(500, ArrivalProcess::poisson, 3);
  workload.input_tokens = {LengthDistribution::uniform, 10, 5000};
  const auto before = all(workload, 11);
  WorkloadSpec drawn_outputs = workload;
  drawn_outputs.output_tokens = {LengthDistribution::uniform, 1, 1000};
  WorkloadSpec closed = workload;
  closed.max_concurrency = 8;
  WorkloadSpec longer = workload;
  longer.num_requests = 600;
  const auto with_outputs = all(drawn_outputs, 11);
  const auto in_closed_loop = all(closed, 11);
  const auto with_more = all(longer, 11);
  for (std::size_t i = 0; i < before.size(); ++i) {
    CHECK(with_outputs[i].arrival == before[i].arrival);
    CHECK(with_outputs[i].input_tokens == before[i].input_tokens);
    CHECK(in_closed_loop[i].input_tokens == before[i].input_tokens);
    CHECK(with_more[i] == before[i]);
  }
}

TEST_CASE("the same seed draws the same workload and another seed another") {
  WorkloadSpec workload = generator(200, ArrivalProcess::poisson, 3);
  workload.input_tokens = {LengthDistribution::uniform, 10, 5000};
  CHECK(all(workload, 1) == all(workload, 1));
  CHECK(all(workload, 1) != all(workload, 2));
}

TEST_CASE("a generated workload is the same on every machine and compiler") {
  WorkloadSpec workload = generator(3, ArrivalProcess::poisson, 5.5);
  workload.input_tokens = {LengthDistribution::uniform, 1, 4096};
  workload.output_tokens = {LengthDistribution::uniform, 1, 512};
  const auto requests = all(workload, 1);
  REQUIRE(requests.size() == 3);
  CHECK(requests[0] == Request{0, "", Time(Duration(170237444)), 3335, 469, 469, 0});
  CHECK(requests[1] == Request{1, "", Time(Duration(400662321)), 673, 306, 306, 0});
  CHECK(requests[2] == Request{2, "", Time(Duration(830096445)), 1849, 19, 19, 0});
}

TEST_CASE("a closed loop tells how many are in flight, and leaves their arrivals to the simulation") {
  WorkloadSpec workload = generator(3200, ArrivalProcess::all_at_once, 0);
  workload.max_concurrency = 400;
  const auto source = make_request_source(workload, 1);
  CHECK(source->concurrency() == 400);
  CHECK(source->count() == 3200);
  CHECK(nanoseconds(*source->next()) == 0);
}

TEST_CASE("clients are dealt generated requests by their shares, and move no other draw") {
  WorkloadSpec workload = generator(30'000, ArrivalProcess::poisson, 3);
  workload.input_tokens = {LengthDistribution::uniform, 1, 1000};
  const auto plain = all(workload, 5);
  ClientSpec chat;
  chat.name = "chat";
  chat.share = 3;
  chat.tenant = "anna";
  chat.deadline = Duration(7);
  ClientSpec batch;
  batch.name = "batch";
  batch.priority = 9;
  batch.tenant = "bert";
  workload.clients = {chat, batch};
  const auto dealt = all(workload, 5);
  REQUIRE(dealt.size() == plain.size());
  std::int64_t chats = 0;
  for (std::size_t i = 0; i < dealt.size(); ++i) {
    const bool is_chat = dealt[i].slo_class == "chat";
    chats += is_chat ? 1 : 0;
    Request expected = plain[i];
    const ClientSpec& of = is_chat ? chat : batch;
    expected.slo_class = of.name;
    expected.priority = of.priority.value_or(0);
    expected.tenant = of.tenant;
    expected.deadline = of.deadline;
    REQUIRE(dealt[i] == expected);
  }
  // Three quarters, within five standard deviations of a binomial draw.
  CHECK(std::abs(static_cast<double>(chats) - 22'500) < 5 * std::sqrt(30'000 * 0.75 * 0.25));
  // Another seed deals otherwise.
  CHECK(all(workload, 6) != dealt);
}

}  // namespace decodesim
