// CSV whose columns the user declares. Where none of them says when a request comes, all come at once, counted.

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/workload/traces/formats/formats.hpp"

namespace decodesim {

namespace {

/// Rows without a column that says when they come.
class RowsAtOnce final : public TraceRows {
 public:
  explicit RowsAtOnce(std::unique_ptr<TraceRows> rows) : rows_(std::move(rows)) {}

  bool next(TraceRow& row) override {
    if (!rows_->next(row)) return false;
    row.notes.add("no column of arrivals", "all at once");
    return true;
  }

 private:
  std::unique_ptr<TraceRows> rows_;
};

/// What the scenario calls a column.
struct Declared {
  std::string_view key;
  const std::string& name;
  Meaning meaning;
};

/// A column says one thing, so that the second of two keys would find none.
void refuse_doubled(std::span<const Declared> declared, const TraceInput& input, TraceMistakes& mistakes) {
  for (std::size_t i = 0; i < declared.size(); ++i) {
    for (const Declared& one : declared.subspan(0, i)) {
      if (declared[i].name.empty() || one.name != declared[i].name) continue;
      mistakes.add(input.lines, 0,
                   "the column '" + one.name + "' is declared to be both " + std::string(one.key) + " and " +
                       std::string(declared[i].key) + ": a column is one thing, so name another for one of them");
    }
  }
  mistakes.throw_if_any();
}

std::unique_ptr<TraceRows> declared_rows(TraceInput& input, TraceMistakes& mistakes) {
  const TraceColumnsSpec& columns = input.spec.columns;
  const Declared declared[] = {
      {"arrival", columns.arrival, Meaning::time},
      {"timestamp", columns.timestamp, Meaning::date_time},
      {"input_tokens", columns.input_tokens, Meaning::input_tokens},
      {"output_tokens", columns.output_tokens, Meaning::output_tokens},
      {"max_tokens", columns.max_tokens, Meaning::max_tokens},
      {"id", columns.id, Meaning::id},
      {"priority", columns.priority, Meaning::priority},
      {"tenant", columns.tenant, Meaning::tenant},
      {"slo_class", columns.slo_class, Meaning::slo_class},
      {"session", columns.session, Meaning::session},
      {"think_time", columns.think_time, Meaning::think_time},
  };
  refuse_doubled(declared, input, mistakes);
  std::vector<TraceKey> keys;
  for (const Declared& one : declared) {
    if (!one.name.empty()) keys.push_back({one.name, one.meaning, true});
  }
  auto rows = csv_rows_of(input, std::move(keys), 0, mistakes);
  if (says_when(columns)) return rows;
  return std::make_unique<RowsAtOnce>(std::move(rows));
}

}  // namespace

const TraceFormatInfo csv_format{
    .format = TraceFormat::csv,
    .name = "csv",
    .summary = "CSV of any names: workload.trace.columns says which column is what",
    .from_first_row = true,
    .others_ignored = true,
    .rows = declared_rows,
};

}  // namespace decodesim
