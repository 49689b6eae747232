#include "sim/scenario/batch_defaults.hpp"

#include <string>

#include "sim/core/letters.hpp"

namespace decodesim {

namespace {

constexpr double large_memory = 70.0 * (1 << 30);

// A GPU that changes one of the catalog's goes by "like a100-80gb", and vLLM looks for the letters anywhere in the name.
bool is_a100(const std::string& name) { return lower(name).find("a100") != std::string::npos; }

}  // namespace

BatchDefaults batch_defaults(const GpuSpec& gpu) {
  if (gpu.memory_reported.value() >= large_memory && !is_a100(gpu.name)) return {1024, 8192};
  return {256, 2048};
}

}  // namespace decodesim
