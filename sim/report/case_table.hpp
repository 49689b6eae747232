#pragma once
// Several cases of one scenario side by side.

#include <ostream>
#include <span>

#include "sim/report/report.hpp"

namespace decodesim {

/// A row a case, and the gap in output throughput between the first and the last in words, with what it comes from.
void write_case_table(std::span<const Report> reports, std::ostream& out);

}  // namespace decodesim
