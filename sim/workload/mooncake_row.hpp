#pragma once
// One line of a Mooncake trace.

#include <cstdint>
#include <vector>

#include "sim/workload/trace_lines.hpp"

namespace decodesim {

/// Tokens behind each hash id of the published traces.
inline constexpr std::int64_t mooncake_block_size = 512;

/// A number and where in the line it stands, in bytes from 0.
struct PlacedNumber {
  std::int64_t value = 0;
  std::size_t offset = 0;
};

struct MooncakeRow {
  PlacedNumber timestamp;  // ms
  PlacedNumber input_length;
  PlacedNumber output_length;
  std::vector<std::int64_t> hash_ids;
};

/// Reads the line on which `lines` stands: a JSON object with these four keys, each once, in any order. Adds a mistake
/// and returns false where it is anything else, where a number is out of its range, or where there are not as many ids
/// as the prompt has blocks.
bool read_mooncake_row(const TraceLines& lines, TraceMistakes& mistakes, MooncakeRow& row);

}  // namespace decodesim
