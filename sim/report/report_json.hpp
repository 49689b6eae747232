#pragma once
// A report as one JSON document.

#include <ostream>
#include <span>

#include "sim/report/report.hpp"

namespace decodesim {

/// One document, schema_version 1, with the keys of the vLLM benchmark client beside our own; a newline at its end.
///
/// `duration`, the counts, `evictions` and `run_totals` concern the whole run; all else the window. As in the client,
/// total_input_tokens and total_output_tokens are sums over completed requests; requests_in counts all that arrived,
/// and run_totals.emitted_tokens every token that any of them got. What was not measured is null.
void write_json(const Report& report, std::ostream& out);

/// The reports of a scenario with cases, also where only one was played: {"schema_version": 1, "cases": [...]}.
void write_json(std::span<const Report> reports, std::ostream& out);

}  // namespace decodesim
