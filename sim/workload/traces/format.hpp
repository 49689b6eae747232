#pragma once
// The formats of traces: one file each in formats/, and the table of all.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/workload/traces/lines.hpp"
#include "sim/workload/traces/row.hpp"

namespace decodesim {

/// A column of CSV rows or a key of JSON rows.
struct TraceKey {
  std::string_view name;
  Meaning meaning;
  bool required = false;
};

class TraceDocument;

/// Rows one by one, in the order of the file.
class TraceRows {
 public:
  virtual ~TraceRows() = default;
  /// Reads the next row without a mistake into `row`; false where there are no more. Mistakes on the way are added to those
  /// that the rows were made with.
  virtual bool next(TraceRow& row) = 0;
  /// The text that the places of its rows count in, where it is one JSON document and a row is not a line; null elsewhere.
  [[nodiscard]] virtual const TraceDocument* document() const { return nullptr; }
};

struct TraceInput;

/// What its text is made of.
enum class TraceShape {
  csv,    // a line of column names, and a row a line
  jsonl,  // a JSON object a line
  other   // what its reader makes of it
};

/// A format: how it is called, what its numbers mean where the file does not say, and what its rows look like.
struct TraceFormatInfo {
  TraceFormat format;
  std::string_view name;     // in scenarios and on the command line
  std::string_view summary;  // whose it is, and what tells it
  TimeUnit time_unit = TimeUnit::s;
  std::int64_t block_size = 0;                // tokens behind a hash id; 0: it has none
  bool from_first_row = false;                // its clock does not begin at zero, so the earliest row does
  RowPolicy zero_output = RowPolicy::reject;  // where the format says what such rows are
  TraceShape shape = TraceShape::csv;
  bool at_once = false;              // rows that say no time come at time zero, counted
  bool rates = false;                // it says how many come and not when, so that rate_scale leaves its clock alone
  std::span<const TraceKey> keys{};  // of CSV and JSON rows
  bool others_ignored = false;       // columns or keys that are not in `keys`
  std::unique_ptr<TraceRows> (*rows)(TraceInput& input, TraceMistakes& mistakes) = nullptr;
};

/// What rows are read from: the lines of a file and how it wants them read.
struct TraceInput {
  TraceLines& lines;
  const TraceFormatInfo& format;
  const TraceSpec& spec;
  std::uint64_t seed = 0;     // for formats that say rates, not rows
  bool at_first_row = false;  // `lines` stands on the first row already
  // What the head of decodesim's own trace says of the whole.
  std::optional<std::int64_t> max_concurrency{};
  std::optional<std::int64_t> closes{};  // ns

  [[nodiscard]] TimeUnit time_unit() const { return spec.time_unit.value_or(format.time_unit); }
  [[nodiscard]] RowPolicy zero_output() const { return spec.zero_output.value_or(format.zero_output); }
  [[nodiscard]] FieldRules rules() const { return {.unit = time_unit()}; }
  [[nodiscard]] std::int64_t block_size() const { return spec.block_size.value_or(format.block_size); }
};

/// Does one of the columns that a user declares say when a request comes?
inline bool says_when(const TraceColumnsSpec& columns) {
  return !columns.arrival.empty() || !columns.timestamp.empty();
}

/// All formats, in the order in which they are listed for people; `told` is not among them.
std::span<const TraceFormatInfo* const> trace_formats();
const TraceFormatInfo& trace_format(TraceFormat format);

/// What the head of the file tells: decodesim's own, Azure's or Mooncake's. `lines` then stands on the first line that is
/// neither empty nor a comment. Throws TraceError where it tells none of these.
const TraceFormatInfo& told_format(TraceLines& lines, TraceMistakes& mistakes);

/// The formats whose columns or keys are those that the line names which `lines` stands on; `csv`, which has none of its own, is
/// never among them.
std::vector<const TraceFormatInfo*> formats_of_head(const TraceLines& lines);

/// Adds a mistake where that line names what other formats have and `format`, which was stated, has not.
void refuse_another_format(const TraceLines& lines, const TraceFormatInfo& format, TraceMistakes& mistakes);

/// "found 'a', 'b'; did you mean 'c'?" of names that are none of `known`.
std::string found_names(std::span<const std::string_view> names, std::span<const std::string_view> known);

// Ready-made rows for the table.

/// A line of column names, and a row a line.
std::unique_ptr<TraceRows> csv_rows(TraceInput& input, TraceMistakes& mistakes);
/// The same with other names than the table's, each row behind `indent` blanks; `input.lines` stands on the names.
std::unique_ptr<TraceRows> csv_rows_of(TraceInput& input, std::vector<TraceKey> keys, std::size_t indent,
                                       TraceMistakes& mistakes);
/// A JSON object a line.
std::unique_ptr<TraceRows> json_rows(TraceInput& input, TraceMistakes& mistakes);

}  // namespace decodesim
