#pragma once
// Mistakes of a trace, shown as those of a scenario are.

#include <string>
#include <string_view>
#include <vector>

#include "sim/scenario/diagnostic.hpp"
#include "sim/workload/traces/trace.hpp"

namespace decodesim {

/// Who names a trace and says how it is read: a scenario by keys beside its file, a command by options.
enum class TraceAsker { scenario, describe, import };

/// How a key of `workload.trace` is given a value: "zero_output: drop", "--set zero_output=drop".
std::string said_setting(std::string_view key, std::string_view value, TraceAsker asker);

/// One diagnostic a mistake, its column counted in characters and its settings said as `asker` says them. One that many rows
/// share stands there once, with the lines of the others.
std::vector<Diagnostic> trace_diagnostics(const TraceError& error, TraceAsker asker = TraceAsker::scenario);

}  // namespace decodesim
