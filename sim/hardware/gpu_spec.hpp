#pragma once
// What one GPU is, as its datasheet and its driver state it.

#include <string>

#include "sim/core/quantity.hpp"

namespace decodesim {

/// What software reaches of the datasheet's figures, as component benchmarks measure it. The cost model `calibrated` uses
/// these; `ideal` and `roofline` do not. The defaults are those of current accelerators where nobody measured.
struct SustainedSpec {
  // Shares of the peaks.
  double hbm = 0.92;        // of the memory bandwidth, by a kernel that only reads
  double bf16 = 0.75;       // of large matrix products
  double fp8 = 0.62;        // the same in 8 bits
  double fp4 = 0.42;        // the same in 4 bits
  double attention = 0.65;  // of the bf16 peak, by attention over a long prompt
  // All-reduces in CUDA graphs.
  Seconds all_reduce{3e-6};           // a small one by a kernel of the engine's own: the flags that ranks wait for
  double link = 0.62;                 // share of the links' bandwidth that such a kernel sees
  Seconds library_all_reduce{32e-6};  // what the vendor's library adds to the way of the bytes
  double library_link = 0.70;         // share of the links' bandwidth in a ring of the library
  double library_reduction = 0.58;    // share where the switches add
  Seconds launch{17.6e-6};            // what an all-reduce outside of a CUDA graph waits for its launch
};

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
  int multiprocessors = 128;      // that share out the tiles of a product
  SustainedSpec sustained;
};

}  // namespace decodesim
