#pragma once
// The parts of a summary that tell what policies did to requests: evictions, hits, classes and tenants.

#include <ostream>
#include <string>
#include <string_view>

#include "sim/report/report.hpp"

namespace decodesim {

/// A label in its column, and what is said of it.
void write_line(std::ostream& out, std::string_view label, const std::string& text);

void write_evictions(const Report& report, std::ostream& out);
/// Only where something was found or thrown out.
void write_prefix(const Report& report, std::ostream& out);
/// Tables by class, tenant and priority, each only where there are several; fairness and starvation.
void write_groups(const Report& report, std::ostream& out);

}  // namespace decodesim
