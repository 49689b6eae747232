#pragma once
// One server and its clients, played from the first arrival to the last token.

#include <atomic>
#include <span>

#include "sim/serving/observer.hpp"
#include "sim/serving/server_config.hpp"
#include "sim/workload/request_source.hpp"

namespace decodesim {

/// Plays `source` against the server and tells `observers` what happens; returns what it told them last.
///
/// Within one simulated instant the order is change, decide, observe: first the step that ends now releases what it
/// finished, then arrivals join the queue, then the scheduler plans the next pass. (An engine that plans ahead releases
/// what the step finished after it planned the next pass; see Replica.) `stop`, where given, is polled once
/// a pass; when it becomes true the run ends there, its requests unfinished and its facts marked interrupted.
RunFacts simulate(const ServerConfig& server, RequestSource& source, std::span<Observer* const> observers,
                  const std::atomic<bool>* stop = nullptr);

}  // namespace decodesim
