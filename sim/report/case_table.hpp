#pragma once
// Several cases of one scenario side by side.

#include <ostream>
#include <span>

#include "sim/report/report.hpp"

namespace decodesim {

/// A row a case, the gap in output throughput between the first and the last in words, with what it comes from, and what
/// the cost model is worth where all cases share it.
void write_case_table(std::span<const Report> reports, std::ostream& out);

/// Whether all have the same cost model. There is at least one.
bool same_cost(std::span<const Report> reports);

}  // namespace decodesim
