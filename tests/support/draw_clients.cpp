#include "tests/support/draw_clients.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace decodesim::tests {

namespace {

/// Whose clients leave, at instants where steps can end among others.
void draw_leaving(Draws& draws, std::vector<Request>& requests, Duration typical_step) {
  const std::int64_t with_timeout = draws.pick({0, 0, 30, 100});
  const std::int64_t cancelled = draws.pick({0, 0, 30, 80});
  const std::int64_t longest = draws.pick({4, 20, 100});  // in steps
  const auto wait = [&] {
    const Duration whole = typical_step * draws.between(1, 4 * longest) / 4;
    return draws.chance(60) ? whole : whole + Duration(draws.between(1, 99'999));
  };
  for (Request& request : requests) {
    if (draws.chance(with_timeout)) request.timeout = wait();
    if (draws.chance(cancelled)) request.cancel_after = wait();
  }
}

/// Turns of sessions: each is asked after the one before it, and often goes on with what was said.
void draw_sessions(Draws& draws, std::vector<Request>& requests, Duration typical_step) {
  const std::int64_t sessions = draws.between(1, 4);
  const std::int64_t share = draws.pick({40, 100});
  const std::int64_t continues = draws.pick({0, 70, 100});
  const std::int64_t thinks = draws.pick({0, 50, 100});
  std::vector<Request*> last(static_cast<std::size_t>(sessions), nullptr);
  for (Request& request : requests) {
    if (!draws.chance(share)) continue;
    const std::int64_t session = draws.between(1, sessions);
    Request*& before = last[static_cast<std::size_t>(session - 1)];
    request.session = "s" + std::to_string(session);
    request.turn = before == nullptr ? 1 : before->turn + 1;
    if (before != nullptr) {
      request.arrival = draws.chance(50) ? before->arrival : std::max(before->arrival, request.arrival);
      if (draws.chance(continues)) {
        request.content.clear();
        request.prefix_group.clear();
        request.prefix_tokens = 0;
      }
    }
    if (draws.chance(thinks)) request.think_time = typical_step * draws.between(0, 40) / 4;
    before = &request;
  }
  std::stable_sort(requests.begin(), requests.end(),
                   [](const Request& a, const Request& b) { return a.arrival < b.arrival; });
  for (std::size_t i = 0; i < requests.size(); ++i) requests[i].index = static_cast<std::int64_t>(i);
}

}  // namespace

void draw_clients(Draws& draws, RandomScenario& scenario, Duration typical_step) {
  if (draws.chance(50)) return;
  if (draws.chance(60)) draw_leaving(draws, scenario.requests, typical_step);
  if (draws.chance(50)) draw_sessions(draws, scenario.requests, typical_step);
  const std::int64_t thinking = scenario.concurrency ? draws.pick({0, 50, 100}) : 0;
  for (Request& request : scenario.requests) {
    if (draws.chance(thinking)) request.think_time = typical_step * draws.between(0, 40) / 4;
  }
  if (draws.chance(20)) scenario.closes = Time(typical_step * draws.between(1, 200) / 4);
}

void draw_labels(Draws& draws, RandomScenario& scenario, Duration typical_step) {
  std::vector<Request>& requests = scenario.requests;
  const auto nobody_has = [&](const auto& label) { return std::none_of(requests.begin(), requests.end(), label); };
  const std::int64_t classes = draws.pick({0, 0, 60, 100});
  const std::int64_t tenants =
      nobody_has([](const Request& one) { return !one.tenant.empty(); }) ? draws.pick({0, 0, 60, 100}) : 0;
  const std::int64_t hurried =
      nobody_has([](const Request& one) { return one.deadline.has_value(); }) ? draws.pick({0, 0, 60, 100}) : 0;
  const std::int64_t ranked =
      nobody_has([](const Request& one) { return one.priority != 0; }) ? draws.pick({0, 0, 60, 100}) : 0;
  for (Request& request : requests) {
    if (draws.chance(classes)) request.slo_class = draws.chance(50) ? "chat" : "batch";
    if (draws.chance(tenants)) request.tenant = draws.chance(50) ? "anna" : "bert";
    if (draws.chance(hurried)) request.deadline = typical_step * draws.between(0, 400) / 4;
    if (draws.chance(ranked)) request.priority = draws.between(0, 3);
  }
}

std::vector<Request> asked_once(std::vector<Request> requests) {
  for (Request& request : requests) {
    request.timeout.reset();
    request.cancel_after.reset();
    request.session.clear();
    request.turn = 0;
    request.think_time = Duration{};
  }
  return requests;
}

}  // namespace decodesim::tests
