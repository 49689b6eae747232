#pragma once
// What the head of a trace says about its rows.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "sim/workload/trace_lines.hpp"

namespace decodesim {

enum class TraceColumn {
  ignored,
  timestamp,
  arrival_s,
  arrival_ns,
  input_tokens,
  output_tokens,
  id,
  max_tokens,
  priority,
  prefix_group,
  prefix_tokens,
  tenant,
  slo_class,
  deadline_s
};

/// How the rows are laid out.
struct TraceLayout {
  std::vector<TraceColumn> columns;
  std::vector<std::string> names;  // of the columns, as the file spells them
  std::size_t indent = 0;          // blanks before each row
  bool json = false;               // every line is a JSON object, from this one on; there are no columns
};

inline constexpr std::string_view trace_columns_wanted =
    "expected arrival_s (or arrival_ns), input_tokens and output_tokens, or Azure's TIMESTAMP, ContextTokens and "
    "GeneratedTokens";

/// Reads the line that names the columns, on which `lines` stands. Throws TraceError.
TraceLayout read_trace_columns(const TraceLines& lines, std::size_t indent, TraceMistakes& mistakes);

/// Reads up to and including the line that names the columns; `lines` then stands on it, or on the first row where the
/// rows are JSON. Throws TraceError.
TraceLayout read_trace_layout(TraceLines& lines, TraceMistakes& mistakes);

}  // namespace decodesim
