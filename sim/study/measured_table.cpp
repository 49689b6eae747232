#include "sim/study/measured_table.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <tuple>

#include "sim/study/measured_row.hpp"

namespace decodesim {

namespace {

/// Whether two rows tell of the same run: all but the number and its place is the same.
bool same_run(const MeasuredPoint& one, const MeasuredPoint& other) {
  const auto key = [](const MeasuredPoint& p) {
    return std::tie(p.file, p.note, p.source, p.model, p.gpu, p.node, p.engine, p.weights, p.kv_cache, p.tp,
                    p.input_tokens, p.output_tokens, p.load, p.concurrency, p.request_rate, p.num_requests,
                    p.max_num_seqs, p.max_num_batched_tokens);
  };
  return key(one) == key(other);
}

bool has(const MeasuredPoint& point, MeasuredMetric metric) {
  return std::any_of(point.values.begin(), point.values.end(),
                     [&](const MeasuredValue& value) { return value.metric == metric; });
}

/// Puts a row of a long table to the latest point of the same run that lacks its metric.
void join(std::vector<MeasuredPoint>& points, MeasuredPoint row) {
  for (auto point = points.rbegin(); point != points.rend(); ++point) {
    if (row.values.empty() || !same_run(*point, row) || has(*point, row.values.front().metric)) continue;
    point->values.push_back(row.values.front());
    return;
  }
  points.push_back(std::move(row));
}

bool is_document(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '{';
}

}  // namespace

std::vector<MeasuredPoint> read_measured_table(const SourceText& source, const Setups& setups, Reading& reading) {
  std::vector<MeasuredPoint> points;
  std::optional<MeasuredLayout> layout;
  Locator locator(source);
  TraceFields fields;
  const std::string_view text = source.text;
  constexpr std::string_view mark = "\xEF\xBB\xBF";  // a byte order mark, as spreadsheets write it
  for (std::size_t start = text.starts_with(mark) ? mark.size() : 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    std::string_view line = text.substr(start, end - start);
    if (line.ends_with('\r')) line.remove_suffix(1);
    const bool empty = line.find_first_not_of(" \t,") == std::string_view::npos;
    if (!empty && !fields.split(line, 0)) {
      const std::size_t at = fields.size() > 0 ? fields.offset(fields.size() - 1) : 0;
      reading.error(locator.position(start + at, 1), "syntax", "this quote is not closed before the next comma",
                    "double a quote inside quotes");
      if (!layout) return {};
    } else if (!empty && !layout) {
      const std::size_t before = reading.errors();
      layout = read_measured_columns(fields, start, locator, reading);
      if (reading.errors() > before) return {};
    } else if (!empty && fields.size() != layout->columns.size()) {
      reading.error(locator.position(start, line.size()), "wrong-width",
                    "this row has " + std::to_string(fields.size()) + " cells, and the first line names " +
                        std::to_string(layout->columns.size()) + " columns",
                    "put a text with a comma into quotes");
    } else if (!empty) {
      MeasuredPoint row = read_measured_row({*layout, setups, reading, locator}, fields, start);
      if (layout->is_long()) {
        join(points, std::move(row));
      } else {
        points.push_back(std::move(row));
      }
    }
    start = end + 1;
  }
  if (points.empty() && reading.errors() == 0) {
    reading.error({&source, 0, 0, 1}, "no-measurements", "there is no row in it",
                  "the first line names the columns, every other is a measurement");
  }
  return points;
}

std::vector<MeasuredPoint> read_measurements(std::span<const std::string> files, const Setups& setups) {
  Reading reading(find_catalog());
  std::vector<MeasuredPoint> points;
  for (const std::string& file : files) {
    std::string why;
    std::optional<std::string> text = read_file(file, why);
    if (!text) throw UnreadableFile(std::string("cannot read ").append(file).append(": ").append(why));
    const SourceText* source = reading.keep({file, std::filesystem::path(file).parent_path(), std::move(*text)});
    std::vector<MeasuredPoint> own = is_document(source->text) ? read_benchmark_result(*source, reading)
                                                               : read_measured_table(*source, setups, reading);
    std::move(own.begin(), own.end(), std::back_inserter(points));
  }
  if (reading.errors() > 0) throw ScenarioError(reading.diagnostics());
  return points;
}

}  // namespace decodesim
