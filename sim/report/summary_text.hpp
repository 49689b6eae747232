#pragma once
// A report for people: the verdict first, then the block that the vLLM benchmark client prints, then what explains it.

#include <ostream>
#include <span>

#include "sim/report/report.hpp"

namespace decodesim {

void write_text(const Report& report, std::ostream& out);

/// One report after another, then what the cases come to side by side.
void write_text(std::span<const Report> reports, std::ostream& out);

}  // namespace decodesim
