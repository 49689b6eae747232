#include "sim/hardware/peak.hpp"

#include <algorithm>

namespace decodesim {

FlopsPerSecond peak_flops(const GpuSpec& gpu, Precision weights) {
  FlopsPerSecond own{0};
  if (weights == Precision::fp8) own = gpu.peak_fp8;
  if (weights == Precision::int8) own = gpu.peak_int8;
  if (weights == Precision::fp4) own = gpu.peak_fp4;
  return own.value() > 0 ? own : gpu.peak_bf16;
}

FlopsPerSecond highest_peak(const GpuSpec& gpu) {
  return std::max({gpu.peak_bf16, gpu.peak_fp8, gpu.peak_int8, gpu.peak_fp4});
}

}  // namespace decodesim
