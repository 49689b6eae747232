#pragma once
// One server and its requests on both engines.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/serving/observer.hpp"
#include "sim/serving/server_config.hpp"

namespace decodesim::tests {

/// What the engine tells otherwise than the plain stepper, or which invariant its run breaks; empty where all is well.
/// `watcher` sees that run too.
std::string disagreement(const ServerConfig& server, const std::vector<Request>& requests,
                         std::optional<std::int64_t> concurrency, Observer& watcher);

}  // namespace decodesim::tests
