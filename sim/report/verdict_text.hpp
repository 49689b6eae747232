#pragma once
// The first lines of a summary: the verdict, what was run, and over which stretch of time.

#include <ostream>

#include "sim/report/report.hpp"

namespace decodesim {

/// `SLO MET` or `SLO MISSED (TPOT)` with every limit beside what was measured; where no limit is set, throughput, what
/// bound the server and whether it keeps up. Then the scenario's name, its window and why the watchdog ended it, if so.
void write_verdict(const Report& report, std::ostream& out);

}  // namespace decodesim
