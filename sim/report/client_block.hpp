#pragma once
// The summary block of the vLLM benchmark client, so that what people grep for is found.

#include <ostream>

#include "sim/report/report.hpp"

namespace decodesim {

/// The client's labels in the client's order, a label in 40 columns and a number after it. 90th percentiles are added.
void write_client_block(const Report& report, std::ostream& out);

}  // namespace decodesim
