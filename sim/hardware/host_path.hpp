#pragma once
// What the links of a node offer between its GPUs and their host.

#include <optional>

#include "sim/hardware/topology.hpp"

namespace decodesim {

/// What each of the first `ranks` GPUs gets, per direction, when all of them talk to the host at once, each over its
/// shortest path: the least over the links of the path of what a link has, divided by how many of them share it. The
/// slowest GPU counts. Nothing where a GPU reaches no host. `graph` must be free of errors and have so many GPUs.
std::optional<BytesPerSecond> host_bandwidth(const NodeGraph& graph, int ranks);

}  // namespace decodesim
