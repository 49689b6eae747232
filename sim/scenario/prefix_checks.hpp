#pragma once
// What must hold where requests find each other's KV.

#include "sim/model/deployment_spec.hpp"
#include "sim/scenario/document.hpp"
#include "sim/scenario/reading.hpp"
#include "sim/serving/serving_spec.hpp"

namespace decodesim {

/// Reports prefix caching under an engine that has none or beside what contradicts it, and what needs it and lacks it.
void check_prefix_caching(Reading& reading, const DocumentNode& tree, const SchedulerSpec& scheduler,
                          const MemorySpec& memory);

}  // namespace decodesim
