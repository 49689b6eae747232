#include "sim/report/service_groups.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/report/told_run.hpp"

using namespace decodesim;
using namespace decodesim::tests;
using doctest::Approx;

namespace {

GroupReport served(double service) {
  GroupReport group;
  group.service = service;
  return group;
}

}  // namespace

TEST_CASE("Jain's index is 1 for equal service, 1/n where one is served alone, and in between as its formula has it") {
  CHECK(jain_index(std::vector{served(7), served(7), served(7)}) == Approx(1));
  CHECK(jain_index(std::vector{served(5), served(0), served(0), served(0)}) == Approx(0.25));
  CHECK(jain_index(std::vector{served(1), served(2), served(3)}) == Approx(36.0 / (3 * 14)));
  CHECK(std::isnan(jain_index(std::vector{served(1)})));
  CHECK(std::isnan(jain_index(std::vector{served(1), served(not_measured)})));
  CHECK(std::isnan(jain_index({})));
}

TEST_CASE("service is tokens a second of the time in which a group had requests in the server") {
  ServiceGroups<Name> groups;
  const Request a = request_of(0, "", at(0), 4, 30);
  const Request b = request_of(1, "", at(2), 4, 30);
  const Request c = request_of(2, "", at(20), 4, 40);
  groups.arrived("x", at(0));
  groups.arrived("x", at(2));
  groups.ended("x", completed(a, at(0), at(1), at(5)), nullptr, false);
  groups.ended("x", completed(b, at(2), at(3), at(6)), nullptr, false);
  // Ten seconds without a request of it do not count.
  groups.arrived("x", at(20));
  groups.ended("x", completed(c, at(23), at(23), at(24)), nullptr, false);
  const auto report = groups.report({}, 24, false);
  REQUIRE(report.size() == 1);
  CHECK(report[0].service == Approx(100.0 / (6 + 4)));
  CHECK(report[0].longest_wait == seconds(3));
  CHECK(report[0].requests == 3);
  CHECK(report[0].measured == 0);
}

TEST_CASE("deadlines are met by requests that complete by them, and rejected ones miss theirs") {
  ServiceGroups<std::int64_t> groups;
  Request early = request_of(0, "", at(0), 4, 2);
  Request late = request_of(1, "", at(0), 4, 2);
  Request refused = request_of(2, "", at(0), 4, 2);
  early.deadline = late.deadline = refused.deadline = seconds(5);
  const Request open = request_of(3, "", at(0), 4, 2);
  for (int i = 0; i < 4; ++i) groups.arrived(1, at(0));
  groups.ended(1, failed(refused, Outcome::rejected, "never fits the KV pool", at(0)), nullptr, false);
  groups.ended(1, completed(early, at(0), at(1), at(5)), nullptr, false);
  groups.ended(1, completed(late, at(0), at(1), at(6)), nullptr, false);
  groups.ended(1, completed(open, at(0), at(1), at(60)), nullptr, false);
  const auto report = groups.report({}, 60, false);
  CHECK(report[0].with_deadline == 3);
  CHECK(report[0].deadlines_met == 1);
}

TEST_CASE("latencies of a group are those of its requests that completed in the window") {
  ServiceGroups<Name> groups;
  std::vector<CompletedRequest> completed_requests;
  for (std::int64_t i = 0; i < 6; ++i) {
    const std::string name = i % 2 == 0 ? "even" : "odd";
    const Request request = request_of(i, "", at(0), 4, 11);
    groups.arrived(name, at(0));
    completed_requests.push_back({seconds(1 + i), seconds(11 + i * 3), 11});
    groups.ended(name, completed(request, at(0), at(1 + i), at(11 + i * 3)), &completed_requests.back(), i < 3);
  }
  const auto report = groups.report(completed_requests, 10, true);
  REQUIRE(report.size() == 2);
  CHECK(report[0].name == "even");
  CHECK(report[0].ttft.mean == Approx(3000));
  CHECK(report[0].e2el.mean == Approx(17'000));
  CHECK(report[0].tpot.p50 == Approx(1400));
  CHECK(report[0].output_throughput == Approx(3.3));
  CHECK(report[0].request_goodput == Approx(0.2));
  CHECK(report[1].request_goodput == Approx(0.1));
  CHECK(report[1].ttft.p50 == Approx(4000));
}
