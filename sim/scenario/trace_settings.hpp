#pragma once
// A trace named on the command line, outside of any scenario.

#include <optional>
#include <span>
#include <string>

#include "sim/scenario/trace_diagnostics.hpp"
#include "sim/workload/traces/trace_spec.hpp"

namespace decodesim {

/// How `file` is read as a trace of `format` (absent: what its head tells) where "key=value" texts, each of a `--set`, are laid over
/// that, with the keys that `workload.trace` has in scenarios: "time_unit=ms". Throws ScenarioError where they are wrong, with help
/// in words of the command that asks.
TraceSpec read_trace_settings(const std::string& file, const std::optional<std::string>& format,
                              std::span<const std::string> settings, TraceAsker asker);

}  // namespace decodesim
