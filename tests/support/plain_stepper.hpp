#pragma once
// The server played the slow and obvious way, for the fast engine to be held against.

#include <span>

#include "sim/serving/observer.hpp"
#include "sim/serving/server_config.hpp"
#include "sim/workload/request_source.hpp"

namespace decodesim::tests {

/// Plays `source` against `server` as simulate() does, and must tell `observers` exactly the same. It walks every
/// sequence in every step and shares nothing with the engine but Specs, the cost model and the observers.
RunFacts run_plain(const ServerConfig& server, RequestSource& source, std::span<Observer* const> observers);

}  // namespace decodesim::tests
