#pragma once
// What TensorRT-LLM's knobs must be to each other.

#include <cstdint>
#include <optional>

#include "sim/scenario/document.hpp"
#include "sim/scenario/reading.hpp"
#include "sim/serving/serving_spec.hpp"

namespace decodesim {

/// Reports limits under which some prompts could never be computed. `longest` is the most tokens of a sequence, where
/// anything limits it.
void check_trtllm(Reading& reading, const DocumentNode& tree, const SchedulerSpec& scheduler, std::int64_t block_size,
                  std::optional<std::int64_t> longest);

}  // namespace decodesim
