#pragma once
// A node as a graph: its classes of devices and ranges of links written out one by one.

#include <cstddef>
#include <string>
#include <vector>

#include "sim/hardware/node_spec.hpp"

namespace decodesim {

enum class DeviceKind { gpu, network_switch, host };

struct Device {
  std::string name;  // gpu0, nvswitch3, host
  DeviceKind kind = DeviceKind::gpu;
  bool reduces = false;  // a switch that adds what the GPUs send
};

/// Joins two devices; each direction has the whole bandwidth.
struct Link {
  std::size_t from = 0;  // places in NodeGraph::devices
  std::size_t to = 0;
  BytesPerSecond bandwidth;  // per direction
  Seconds latency;           // one traversal
};

/// The GPUs come first, so GPU i is device i; then the switches in the order of the Spec, then the host.
struct NodeGraph {
  std::vector<Device> devices;
  std::vector<Link> links;
  std::size_t gpus = 0;
};

struct TopologyError {
  static constexpr std::size_t whole_node = static_cast<std::size_t>(-1);
  std::size_t link = whole_node;  // which of NodeSpec::links is wrong
  std::string message;
};

struct Topology {
  NodeGraph graph;                    // all installed GPUs; complete where there is no error
  std::vector<TopologyError> errors;  // everything that is wrong, at once
};

/// Writes the links of a node out.
///
/// A link's end is a class (`gpu`, a switch's name, `host`), one member (`gpu3`) or a range (`gpu0-3`). Two classes are
/// joined every member with every member; a class and itself, every pair once. A link without a bandwidth gets the
/// GPU's link bandwidth divided evenly over all links of that GPU which state none (the lesser share of its two GPUs);
/// one without a latency gets the GPU's.
///
/// Errors: an end that names nothing, a range beyond the devices, a bandwidth that is missing where no GPU is at either
/// end or that is not positive, a GPU that cannot reach GPU 0.
Topology expand(const NodeSpec& node);

}  // namespace decodesim
