#pragma once
// The first lines of a summary: the verdict, what was run, and over which stretch of time.

#include <ostream>

#include "sim/report/report.hpp"

namespace decodesim {

/// `SLO MET` or `SLO MISSED (TPOT)` with every limit beside what was measured and the goodput; where no limit is set,
/// throughput, what bound the server and whether it keeps up; `NOTHING SERVED` and why where no request completed. It ends
/// with the requests that were not served. Then the scenario's name and what was deployed, the window, if there is one,
/// and why the watchdog ended the run, if it did.
void write_verdict(const Report& report, std::ostream& out);

}  // namespace decodesim
