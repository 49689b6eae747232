// decodesim's own trace, read: YAML whose rows are CSV in one block of text, or these rows alone.

#include <algorithm>
#include <array>
#include <optional>

#include "sim/core/suggest.hpp"
#include "sim/workload/traces/fields.hpp"
#include "sim/workload/traces/formats/formats.hpp"

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

constexpr std::array<std::string_view, 6> header_keys{"version", "format",          "rows",
                                                      "name",    "max_concurrency", "closes_s"};

/// Keys of a scenario, which a trace's header has none of.
constexpr std::array<std::string_view, 11> scenario_keys{"base",     "cases", "cost", "hardware", "memory",   "model",
                                                         "parallel", "run",   "slo",  "workload", "scheduler"};

void refuse_scenario(const TraceLines& lines, const KeyValue& entry, TraceMistakes& mistakes) {
  if (std::find(scenario_keys.begin(), scenario_keys.end(), entry.key) == scenario_keys.end()) return;
  mistakes.add(lines, 0,
               "this is a scenario, since it has a '" + std::string(entry.key) +
                   "', and not a trace: 'decodesim describe --scenario FILE' tells of the requests that it makes, and "
                   "'decodesim run FILE --export-trace OUT' writes them as a trace");
  mistakes.throw_if_any();
}

void check_header_line(const TraceLines& lines, const KeyValue& entry, std::vector<std::string>& seen,
                       TraceInput& input, TraceMistakes& mistakes) {
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
  std::int64_t value = 0;
  std::string_view wrong;
  if (key == "max_concurrency") {
    wrong = read_tokens(entry.value, value);
    input.max_concurrency = value;
  }
  if (key == "closes_s") {
    wrong = read_time(entry.value, TimeUnit::s, value);
    input.closes = value;
  }
  if (!wrong.empty()) mistakes.add(lines, entry.value_offset, key + ": " + std::string(wrong));
  if (std::find(header_keys.begin(), header_keys.end(), key) == header_keys.end() && key.rfind("x-", 0) != 0) {
    mistakes.add(
        lines, 0,
        "unknown key '" + key + "': " + suggestion(key, header_keys) + "; keys that begin with x- are ignored");
  }
}

/// The header of a YAML trace, from its first key on up to the line of columns after `rows: |`; returns how far it and the
/// rows are indented.
std::size_t read_yaml_header(TraceInput& input, TraceMistakes& mistakes) {
  TraceLines& lines = input.lines;
  std::vector<std::string> seen;
  bool more = true;
  while (more) {
    const std::string_view line = lines.line();
    const bool empty = trimmed(line).empty() || trimmed(line)[0] == '#';
    const auto entry = key_value(line);
    if (!empty && !entry) mistakes.add(lines, 0, "expected a line 'key: value'; the rows stand below 'rows: |'");
    if (!empty && entry) {
      if (std::find(seen.begin(), seen.end(), "format") == seen.end()) refuse_scenario(lines, *entry, mistakes);
      check_header_line(lines, *entry, seen, input, mistakes);
    }
    if (entry && entry->key == "rows") break;
    more = lines.next();
  }
  for (const std::string_view key : {header_keys[0], header_keys[1], header_keys[2]}) {
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
  return indent;
}

constexpr TraceKey keys[] = {
    {"arrival_s", Meaning::time_s, true},
    {"arrival_ns", Meaning::time_ns},
    {"input_tokens", Meaning::input_tokens, true},
    {"output_tokens", Meaning::output_tokens, true},
    {"id", Meaning::id},
    {"max_tokens", Meaning::max_tokens},
    {"ignore_eos", Meaning::ignore_eos},
    {"priority", Meaning::priority},
    {"tenant", Meaning::tenant},
    {"slo_class", Meaning::slo_class},
    {"deadline_s", Meaning::deadline_s},
    {"timeout_s", Meaning::timeout_s},
    {"cancel_after_s", Meaning::cancel_after_s},
    {"session", Meaning::session},
    {"think_time_s", Meaning::think_time_s},
    {"prefix_group", Meaning::prefix_group},
    {"prefix_tokens", Meaning::prefix_tokens},
    {"hash_ids", Meaning::hash_ids},
    {"hash_block_size", Meaning::hash_block_size},
    {"cache_salt", Meaning::cache_salt},
    {"no_prefix_read", Meaning::no_prefix_read},
    {"remote_tokens", Meaning::remote_tokens},
    {"load_time_s", Meaning::load_time_s},
};

std::unique_ptr<TraceRows> own_rows(TraceInput& input, TraceMistakes& mistakes) {
  const std::size_t indent = key_value(input.lines.line()) ? read_yaml_header(input, mistakes) : 0;
  return csv_rows_of(input, {std::begin(keys), std::end(keys)}, indent, mistakes);
}

}  // namespace

bool begins_own_trace(std::string_view line) { return key_value(line).has_value(); }

const TraceFormatInfo decodesim_format{
    .format = TraceFormat::decodesim,
    .name = "decodesim",
    .summary = "decodesim's own YAML trace, or its rows as CSV: arrival_s, input_tokens, output_tokens and more",
    .keys = keys,
    .rows = own_rows,
};

}  // namespace decodesim
