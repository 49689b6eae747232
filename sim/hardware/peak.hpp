#pragma once
// The arithmetic peak that a number format gets on a GPU.

#include "sim/core/precision.hpp"
#include "sim/hardware/gpu_spec.hpp"

namespace decodesim {

/// Dense peak of one GPU for matrix products whose weights have this format.
///
/// fp8, int8 and fp4 run on their own units where the hardware has them. Everything else runs at the bf16 peak: fp16
/// has the same units, int4 and fp6 weights are expanded to bf16 before they are multiplied (so are fp8, int8 and fp4
/// where their units are missing), and fp32 weights are multiplied in bf16 too, which flatters them.
FlopsPerSecond peak_flops(const GpuSpec& gpu, Precision weights);

/// The highest of all its dense peaks, which no operations pass whatever their format.
FlopsPerSecond highest_peak(const GpuSpec& gpu);

}  // namespace decodesim
