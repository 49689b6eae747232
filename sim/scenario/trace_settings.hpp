#pragma once
// A trace named on the command line, outside of any scenario.

#include <span>
#include <string>

#include "sim/workload/traces/trace_spec.hpp"

namespace decodesim {

/// How `file` is read where "key=value" texts are laid over it, with the keys that `workload.trace` has in scenarios: "format=burstgpt".
/// Throws ScenarioError where they are wrong.
TraceSpec read_trace_settings(const std::string& file, std::span<const std::string> settings);

}  // namespace decodesim
