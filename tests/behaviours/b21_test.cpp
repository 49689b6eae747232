// A request that can never fit: vllm-project/vllm#39734 and #52530.

#include <doctest/doctest.h>

#include "tests/support/behaviour.hpp"

namespace decodesim::tests {

TEST_CASE("a request that can never fit is turned away at its arrival, and those behind it are served") {
  const auto cases = play_behaviour("b21-never-fits");
  const Report& report = cases.at("reject").report;
  CHECK(report.completed == 3);
  CHECK(report.rejected == 1);
  CHECK(report.watchdog.empty());
  CHECK(report.evictions.run.account.preemptions == 0);
}

TEST_CASE("a server without such a check evicts it for ever, and the watchdog says so") {
  const auto cases = play_behaviour("b21-never-fits");
  const Report& report = cases.at("faithful").report;
  CHECK_FALSE(report.watchdog.empty());
  CHECK(report.watchdog.find("too-large") != std::string::npos);
  CHECK(report.unfinished >= 1);
  CHECK(report.completed < 4);
  CHECK(report.completed + report.unfinished == 4);
}

TEST_CASE("a server that gives up after some evictions of itself serves the others late") {
  const auto cases = play_behaviour("b21-never-fits");
  const Report& report = cases.at("gives-up").report;
  CHECK(report.completed == 3);
  CHECK(report.cancelled == 1);
  CHECK(report.evictions.run.most >= 3);
}

}  // namespace decodesim::tests
