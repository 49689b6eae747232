// CSV whose columns the user declares.

#include "sim/workload/traces/formats/formats.hpp"

namespace decodesim {

namespace {

std::unique_ptr<TraceRows> declared_rows(TraceInput& input, TraceMistakes& mistakes) {
  const TraceColumnsSpec& columns = input.spec.columns;
  std::vector<TraceKey> keys;
  const auto add = [&](const std::string& name, Meaning meaning, bool required = false) {
    if (!name.empty()) keys.push_back({name, meaning, required});
  };
  add(columns.arrival, Meaning::time, true);
  add(columns.timestamp, Meaning::date_time, true);
  add(columns.input_tokens, Meaning::input_tokens, true);
  add(columns.output_tokens, Meaning::output_tokens, true);
  add(columns.max_tokens, Meaning::max_tokens, true);
  add(columns.id, Meaning::id, true);
  add(columns.priority, Meaning::priority, true);
  add(columns.tenant, Meaning::tenant, true);
  add(columns.slo_class, Meaning::slo_class, true);
  add(columns.session, Meaning::session, true);
  add(columns.think_time, Meaning::think_time, true);
  return csv_rows_of(input, std::move(keys), 0, mistakes);
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
