#include "tests/support/every_engine.hpp"

#include <doctest/doctest.h>

#include "tests/support/invariants.hpp"

namespace decodesim::tests {

void play_every_engine(const ServerConfig& config, const std::vector<Request>& requests,
                       const std::function<std::vector<Observer*>()>& watch, const std::function<void()>& expect) {
  for (const Engine& engine : engines()) {
    CAPTURE(engine.name);
    InvariantChecker invariants(config);
    std::vector<Observer*> observers = watch();
    observers.push_back(&invariants);
    play(engine, config, requests, std::nullopt, observers);
    CHECK(invariants.violation() == "");
    expect();
  }
}

}  // namespace decodesim::tests
