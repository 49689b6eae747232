#pragma once
// The two engines that every schedule is tested on.

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "sim/serving/observer.hpp"
#include "sim/serving/server_config.hpp"
#include "sim/workload/request_source.hpp"

namespace decodesim::tests {

struct Engine {
  std::string_view name;
  RunFacts (*run)(const ServerConfig& server, RequestSource& source, std::span<Observer* const> observers);
};

/// The plain stepper and the engine of the simulator.
std::span<const Engine> engines();

/// Plays `requests`, in a closed loop where `concurrency` is given; nobody asks from `closes` on.
RunFacts play(const Engine& engine, const ServerConfig& server, const std::vector<Request>& requests,
              std::optional<std::int64_t> concurrency, const std::vector<Observer*>& observers,
              std::optional<Time> closes = std::nullopt);

}  // namespace decodesim::tests
