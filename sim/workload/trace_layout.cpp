#include "sim/workload/trace_layout.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "sim/core/suggest.hpp"

namespace decodesim {

namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// A header line `key: value  # comment`; the value may be in quotes, which are taken off.
struct KeyValue {
  std::string_view key;
  std::string_view value;
  std::size_t value_offset = 0;
};

std::optional<KeyValue> key_value(std::string_view line) {
  const std::size_t colon = line.find(':');
  const bool split = colon != std::string_view::npos && (colon + 1 == line.size() || line[colon + 1] == ' ');
  if (!split || colon == 0 || line[0] == ' ' ||
      line.substr(0, colon).find_first_of(", \"'") != std::string_view::npos) {
    return std::nullopt;
  }
  std::size_t start = line.find_first_not_of(' ', colon + 1);
  if (start == std::string_view::npos) start = line.size();
  std::string_view value = line.substr(start);
  const bool quoted = !value.empty() && (value[0] == '"' || value[0] == '\'');
  const std::size_t close = quoted ? value.find(value[0], 1) : std::string_view::npos;
  if (close != std::string_view::npos) {
    value = value.substr(1, close - 1);
  } else {
    value = trimmed(value.substr(0, value.substr(0, 1) == "#" ? 0 : value.find(" #")));
  }
  return KeyValue{line.substr(0, colon), value, start};
}

constexpr std::array<std::string_view, 4> header_keys{"version", "format", "name", "rows"};

void check_header_line(const TraceLines& lines, const KeyValue& entry, std::vector<std::string>& seen,
                       TraceMistakes& mistakes) {
  const std::string key(entry.key);
  if (std::find(seen.begin(), seen.end(), key) != seen.end()) {
    mistakes.add(lines, 0, "key '" + key + "' is there twice");
  }
  seen.push_back(key);
  if (key == "version" && entry.value != "1") mistakes.add(lines, entry.value_offset, "expected version: 1");
  if (key == "format" && entry.value != "decodesim-trace") {
    mistakes.add(lines, entry.value_offset, "expected format: decodesim-trace");
  }
  if (key == "rows" && entry.value != "|") {
    mistakes.add(lines, entry.value_offset, "expected 'rows: |' and then the rows, indented, as CSV");
  }
  if (std::find(header_keys.begin(), header_keys.end(), key) == header_keys.end() && key.rfind("x-", 0) != 0) {
    mistakes.add(
        lines, 0,
        "unknown key '" + key + "': " + suggestion(key, header_keys) + "; keys that begin with x- are ignored");
  }
}

/// The header of a YAML trace, from its first key on, and the line of columns after `rows: |`.
TraceLayout read_yaml_header(TraceLines& lines, TraceMistakes& mistakes) {
  std::vector<std::string> seen;
  bool more = true;
  while (more) {
    const std::string_view line = lines.line();
    const bool empty = trimmed(line).empty() || trimmed(line)[0] == '#';
    const auto entry = key_value(line);
    if (!empty && !entry) mistakes.add(lines, 0, "expected a line 'key: value'; the rows stand below 'rows: |'");
    if (!empty && entry) check_header_line(lines, *entry, seen, mistakes);
    if (entry && entry->key == "rows") break;
    more = lines.next();
  }
  for (const std::string_view key : {header_keys[0], header_keys[1], header_keys[3]}) {
    if (std::find(seen.begin(), seen.end(), key) != seen.end()) continue;
    mistakes.add(lines, 0,
                 "the trace has no '" + std::string(key) +
                     "': it begins with version: 1 and format: decodesim-trace, and its rows stand below rows: |");
  }
  mistakes.throw_if_any();
  if (!lines.next()) {
    mistakes.add(lines, lines.line().size(), "there are no rows: the next line names the columns, indented");
    mistakes.throw_if_any();
  }
  const std::size_t indent = lines.line().find_first_not_of(' ');
  if (indent == 0 || indent == std::string_view::npos) {
    mistakes.add(lines, 0, "expected the names of the columns, indented by at least one blank");
    mistakes.throw_if_any();
  }
  return read_trace_columns(lines, indent, mistakes);
}

}  // namespace

TraceLayout read_trace_layout(TraceLines& lines, TraceMistakes& mistakes) {
  while (lines.next()) {
    const std::string_view text = trimmed(lines.line());
    if (text.empty() || text[0] == '#') continue;
    if (text[0] == '{') return {.columns = {}, .names = {}, .indent = 0, .json = true};
    return key_value(lines.line()) ? read_yaml_header(lines, mistakes) : read_trace_columns(lines, 0, mistakes);
  }
  mistakes.add(lines, 0, "the file is empty; " + std::string(trace_columns_wanted) + " and then one row a request");
  mistakes.throw_if_any();
  return {};
}

}  // namespace decodesim
