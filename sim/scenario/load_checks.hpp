#pragma once
// What KV that is loaded beside the steps asks of a server.

#include "sim/scenario/document.hpp"
#include "sim/scenario/reading.hpp"
#include "sim/scenario/scenario.hpp"

namespace decodesim {

/// Reports requests with `remote_tokens`, and a host cache with `load: async`, on servers that cannot have them.
void check_loads(Reading& reading, const DocumentNode& tree, const Scenario& scenario);

}  // namespace decodesim
