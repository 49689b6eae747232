#pragma once
// Which column of a table of measurements means what.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/scenario/reading.hpp"
#include "sim/workload/traces/fields.hpp"

namespace decodesim {

/// What a column holds. A table is wide (a column a metric) or long (`metric` and `value`, a number a row).
enum class MeasuredColumn {
  id,
  note,
  source,
  ignored,
  model,
  gpu,
  node,
  gpus,
  tp,
  engine,
  weights,
  kv_cache,
  input_tokens,
  output_tokens,
  concurrency,
  num_requests,
  max_num_seqs,
  max_num_batched_tokens,
  ttft_ms,
  tpot_ms,
  output_throughput,
  metric,
  value,
  unit
};

/// The name of our own for what a column holds.
std::string_view measured_column_name(MeasuredColumn column);

/// The columns of a table, in its order.
struct MeasuredLayout {
  std::vector<MeasuredColumn> columns;

  [[nodiscard]] bool has(MeasuredColumn column) const;
  [[nodiscard]] bool is_long() const { return has(MeasuredColumn::metric); }
};

/// Reads the line of names, whose fields `names` are and which begins at byte `start` of the locator's text. Mistakes go to
/// `reading`: an unknown name with the nearest known one, a name twice, a column that must be there.
MeasuredLayout read_measured_columns(const TraceFields& names, std::size_t start, Locator& locator, Reading& reading);

}  // namespace decodesim
