#pragma once
// What one GPU is, as its datasheet and its driver state it.

#include <string>

#include "sim/core/quantity.hpp"

namespace decodesim {

struct GpuSpec {
  std::string name;
  Bytes memory_reported;         // what the driver reports to a server
  Bytes memory_sold;             // what the datasheet sells, decimal
  BytesPerSecond hbm_bandwidth;  // peak
  // Dense peaks by the format of the operands; zero where the hardware has no such units.
  FlopsPerSecond peak_bf16;
  FlopsPerSecond peak_fp8;
  FlopsPerSecond peak_int8;
  FlopsPerSecond peak_fp4;
  BytesPerSecond link_bandwidth;  // all GPU-to-GPU links of one GPU together, per direction
  Seconds link_latency;           // one link traversal; a path through a switch is two
};

}  // namespace decodesim
