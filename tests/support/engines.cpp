#include "tests/support/engines.hpp"

#include <array>

#include "sim/serving/simulation.hpp"
#include "tests/support/plain_stepper.hpp"
#include "tests/support/vector_source.hpp"

namespace decodesim::tests {

namespace {

RunFacts run_fast(const ServerConfig& server, RequestSource& source, std::span<Observer* const> observers) {
  return simulate(server, source, observers);
}

}  // namespace

std::span<const Engine> engines() {
  static constexpr std::array both{Engine{"plain", run_plain}, Engine{"fast", run_fast}};
  return both;
}

RunFacts play(const Engine& engine, const ServerConfig& server, const std::vector<Request>& requests,
              std::optional<std::int64_t> concurrency, const std::vector<Observer*>& observers,
              std::optional<Time> closes) {
  VectorSource source(requests, concurrency, closes);
  return engine.run(server, source, observers);
}

}  // namespace decodesim::tests
