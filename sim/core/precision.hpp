#pragma once
// Number formats of weights and caches.

#include <array>
#include <string_view>

namespace decodesim {

enum class Precision { fp32, bf16, fp16, fp8, int8, fp6, int4, fp4 };

inline constexpr std::array<std::string_view, 8> precision_names{"fp32", "bf16", "fp16", "fp8",
                                                                 "int8", "fp6",  "int4", "fp4"};

/// Bytes one value takes; 0.75 and 0.5 for the packed formats, whose scales are not counted.
constexpr double bytes_per_value(Precision precision) {
  switch (precision) {
    case Precision::fp32:
      return 4;
    case Precision::bf16:
    case Precision::fp16:
      return 2;
    case Precision::fp8:
    case Precision::int8:
      return 1;
    case Precision::fp6:
      return 0.75;
    case Precision::int4:
    case Precision::fp4:
      return 0.5;
  }
  return 0;
}

}  // namespace decodesim
