#pragma once
// What an engine makes of a GPU: the constants of the cost model `calibrated`.

#include "sim/core/quantity.hpp"
#include "sim/hardware/collectives.hpp"

namespace decodesim {

/// Constants of an engine, the same for every GPU: what the GPU itself sustains stands in its own SustainedSpec, and these
/// are shares of that and times on top of it. The defaults are those of vLLM 0.10; docs/validation.md tells how they were
/// found and what they predict.
struct EfficiencySpec {
  double compute = 0.82;     // share of the sustained rate of products, in whole steps
  double kv_16bit = 0.94;    // share of the sustained bandwidth at which decode attention reads a 16-bit cache
  double kv_8bit = 0.85;     // the same of smaller formats, which must be expanded
  Seconds kernel{5.2e-6};    // least time of a matrix product, the quantization of its input included
  Seconds attention{12e-6};  // least time of attention in one layer
  Seconds attention_sequence{0.04e-6};  // what decode attention takes for each sequence besides, in one layer
  Seconds elementwise{1.5e-6};          // least time of an elementwise kernel, of which a layer has two
  double passes = 8;          // how often elementwise kernels move a token's hidden state in a layer, on every rank
  Seconds step{2.12e-3};      // between the layers of two steps: inputs, sampling; not hidden by async
  Seconds sequence{33.4e-6};  // the same for each sequence that yields a token
  CustomAllReduce all_reduce;
};

}  // namespace decodesim
