#pragma once
// What a node is: GPUs, switches and a host, joined by links.

#include <optional>
#include <string>
#include <vector>

#include "sim/hardware/gpu_spec.hpp"

namespace decodesim {

struct SwitchSpec {
  std::string name;
  int count = 1;
  bool in_network_reduction = false;  // the switch itself adds what the GPUs send (NVLink SHARP)
};

/// Joins every member of one class of vertices with every member of another. A class is `gpu`, a switch's name or
/// `host`; `gpu0-3` is a range in it.
struct LinkSpec {
  std::string from;
  std::string to;
  std::optional<BytesPerSecond>
      bandwidth;                   // per direction; absent: the GPU's link bandwidth over its links of this kind
  std::optional<Seconds> latency;  // absent: the GPU's link latency
};

struct NodeSpec {
  std::string name;
  GpuSpec gpu;
  int gpus = 1;            // GPUs in use: the first so many
  int gpus_installed = 0;  // GPUs that the links are wired for, where only a part is in use; 0: `gpus`
  std::vector<SwitchSpec> switches;
  std::vector<LinkSpec> links;
};

}  // namespace decodesim
