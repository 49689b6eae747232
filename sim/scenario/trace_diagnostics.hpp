#pragma once
// Mistakes of a trace, shown as those of a scenario are.

#include <vector>

#include "sim/scenario/diagnostic.hpp"
#include "sim/workload/traces/trace.hpp"

namespace decodesim {

/// One diagnostic a mistake, its column counted in characters.
std::vector<Diagnostic> trace_diagnostics(const TraceError& error);

}  // namespace decodesim
