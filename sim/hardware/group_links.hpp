#pragma once
// What the links of a node offer to a group of GPUs that works together.

#include "sim/hardware/topology.hpp"

namespace decodesim {

/// Only the group's own links count: a group smaller than its node uses no link towards GPUs outside of it, and paths
/// do not lead through the host where there is another way.
struct GroupLinks {
  int ranks = 1;
  /// Every pair shares a link or a switch, so that each GPU can reach the memory of every other one at once.
  bool direct = false;
  /// What one GPU sends towards the group, per direction, over all its links; the least of the group.
  BytesPerSecond injection_bandwidth;
  /// The shortest path between two GPUs; the slowest pair of the group.
  Seconds pair_latency;
  /// What one GPU can send to one other while all else is quiet (maximum flow); the least of the group.
  BytesPerSecond pair_bandwidth;
  /// The same for neighbours in a ring by number.
  Seconds ring_latency;
  BytesPerSecond ring_bandwidth;
  /// What one GPU sends to switches that reduce and that all of the group are linked to; zero without such switches.
  BytesPerSecond reduction_bandwidth;
};

/// The links of the first `ranks` GPUs; `graph` must be free of errors and have so many. A group of one has none.
GroupLinks group_links(const NodeGraph& graph, int ranks);

}  // namespace decodesim
