#pragma once
// A small valid text of every format of traces that has a row a line.

#include <cstdint>
#include <string>
#include <vector>

#include "sim/workload/traces/trace.hpp"

namespace decodesim::tests {

struct SampleTrace {
  TraceFormat format;
  std::string head;                    // the lines before the rows
  std::string (*row)(std::int64_t i);  // without its end; later ones come later
  bool from_first_row;                 // whose time is zero
  TraceSpec spec{};                    // what else it takes to read it

  [[nodiscard]] std::string text(std::int64_t rows) const;
};

/// To add a format, add its row.
const std::vector<SampleTrace>& sample_traces();

}  // namespace decodesim::tests
