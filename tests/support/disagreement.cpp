#include "tests/support/disagreement.hpp"

#include "tests/support/engines.hpp"
#include "tests/support/facts_text.hpp"
#include "tests/support/invariants.hpp"

namespace decodesim::tests {

std::string disagreement(const ServerConfig& server, const std::vector<Request>& requests,
                         std::optional<std::int64_t> concurrency, Observer& watcher) {
  FactsText expected;
  FactsText told;
  InvariantChecker invariants(server);
  play(engines().front(), server, requests, concurrency, {&expected});
  play(engines().back(), server, requests, concurrency, {&told, &invariants, &watcher});
  return first_difference(expected.lines(), told.lines()) + invariants.violation();
}

}  // namespace decodesim::tests
