#pragma once
// A report as one JSON document.

#include <ostream>
#include <span>

#include "sim/report/report.hpp"

namespace decodesim {

/// One document, schema_version 1, with the keys of the vLLM benchmark client beside our own; a newline at its end.
/// What was not measured is null. `duration`, the counts and the token sums concern the whole run, as `evictions` and
/// `run_totals` do; all else the window.
void write_json(const Report& report, std::ostream& out);

/// The document itself for one report; for several, {"schema_version": 1, "cases": [...]}.
void write_json(std::span<const Report> reports, std::ostream& out);

}  // namespace decodesim
