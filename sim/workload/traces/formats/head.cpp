// What the head of a file tells of its format.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "sim/workload/traces/fields.hpp"
#include "sim/workload/traces/formats/formats.hpp"
#include "sim/workload/traces/json_line.hpp"

namespace decodesim {

namespace {

/// The names that a file's head has: of columns, or of the keys of its first object.
using Names = std::vector<std::string_view>;

bool has(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool has_all_required(const Names& names, const TraceFormatInfo& format) {
  return !format.keys.empty() && std::all_of(format.keys.begin(), format.keys.end(), [&](const TraceKey& key) {
    return !key.required || has(names, key.name);
  });
}

/// Are there no names but its own?
bool has_no_others(const Names& names, const TraceFormatInfo& format) {
  return std::all_of(names.begin(), names.end(), [&](std::string_view name) {
    return std::any_of(format.keys.begin(), format.keys.end(), [&](const TraceKey& key) { return key.name == name; });
  });
}

bool has_any(const Names& names, const TraceFormatInfo& format) {
  return std::any_of(format.keys.begin(), format.keys.end(), [&](const TraceKey& key) { return has(names, key.name); });
}

/// The rows have the names of a format that only the user can tell, because others mean other things by the same names.
void refuse_untold(const TraceLines& lines, std::size_t at, const TraceFormatInfo& format, TraceMistakes& mistakes) {
  const std::string name(format.name);
  mistakes.add(lines, at,
               "these are names of a trace of format " + name +
                   ", but others may use them too: state it, `format: " + name + '`');
  mistakes.throw_if_any();
}

void refuse_unknown(const TraceLines& lines, const Names& names, TraceMistakes& mistakes) {
  Names known;
  for (const TraceFormatInfo* format : {&decodesim_format, &azure_format}) {
    for (const TraceKey& key : format->keys) known.push_back(key.name);
  }
  mistakes.add(
      lines, 0,
      "this line should name the columns: expected arrival_s (or arrival_ns), input_tokens and output_tokens, or "
      "Azure's TIMESTAMP, ContextTokens and GeneratedTokens; " +
          found_names(names, known) + "; other kinds of traces need their `format`");
  mistakes.throw_if_any();
}

/// Rows of JSON are Mooncake's unless their keys say that they are another's.
const TraceFormatInfo& told_by_keys(const TraceLines& lines, TraceMistakes& mistakes) {
  JsonLine first;
  try {
    first.read(lines.line());
  } catch (const JsonMistake&) {
    return mooncake_format;  // whose reader says what is wrong
  }
  Names names;
  for (const JsonMember& member : first.members()) names.push_back(member.key);
  if (has_no_others(names, mooncake_format)) return mooncake_format;
  for (const TraceFormatInfo* format : trace_formats()) {
    const bool its_own = format->others_ignored || has_no_others(names, *format);
    if (format->shape != TraceShape::csv && format != &mooncake_format && its_own && has_all_required(names, *format))
      refuse_untold(lines, 0, *format, mistakes);
  }
  return mooncake_format;
}

/// Of the line that `lines` stands on.
struct Head {
  bool object = false;  // of JSON
  std::vector<std::string> names{};
};

Head head_of(const TraceLines& lines) {
  const std::string_view line = lines.line();
  const std::size_t first = line.find_first_not_of(" \t");
  Head head{.object = first != std::string_view::npos && line[first] == '{'};
  if (head.object) {
    JsonLine object;
    try {
      object.read(line);
      for (const JsonMember& member : object.members()) head.names.emplace_back(member.key);
    } catch (const JsonMistake&) {  // whoever reads it says what is wrong
    }
    return head;
  }
  TraceFields fields;
  static_cast<void>(fields.split(line, 0));
  for (std::size_t i = 0; i < fields.size(); ++i) head.names.emplace_back(fields.text(i));
  return head;
}

bool of_objects(const TraceFormatInfo& format) { return format.shape != TraceShape::csv && !format.rates; }

std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t most = 8;
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < most; ++i)
    text += (i > 0 ? ", '" : "'") + names[i].substr(0, 40) + '\'';
  return names.size() > most ? text + " and more" : text;
}

}  // namespace

std::vector<const TraceFormatInfo*> formats_of_head(const TraceLines& lines) {
  const std::string_view line = lines.line();
  if (line.starts_with("version:") || line.starts_with("format:")) return {&decodesim_format};  // a YAML trace
  const Head head = head_of(lines);
  const Names names(head.names.begin(), head.names.end());
  std::vector<const TraceFormatInfo*> fitting;
  for (const TraceFormatInfo* format : trace_formats()) {
    const bool its_own = format->others_ignored || has_no_others(names, *format);
    if (of_objects(*format) == head.object && its_own && has_all_required(names, *format)) fitting.push_back(format);
  }
  return fitting;
}

void refuse_another_format(const TraceLines& lines, const TraceFormatInfo& format, TraceMistakes& mistakes) {
  const Head head = head_of(lines);
  const bool declared = format.keys.empty() && !format.rates;  // its columns are whatever the user says
  if (declared && !head.object) return;
  std::string others;
  for (const TraceFormatInfo* other : formats_of_head(lines)) {
    if (other == &format) return;
    others += (others.empty() ? "`format: " : " or `format: ") + std::string(other->name) + '`';
  }
  if (others.empty()) return;
  mistakes.add(lines, 0,
               "this does not look like a trace of format " + std::string(format.name) + ": its first line has the " +
                   (head.object ? "keys " : "columns ") + listed(head.names) + ", which are another's: " + others);
  mistakes.throw_if_any();
}

const TraceFormatInfo& told_format(TraceLines& lines, TraceMistakes& mistakes) {
  if (lines.next_of_head()) {
    if (lines.line()[lines.line().find_first_not_of(" \t")] == '{') return told_by_keys(lines, mistakes);
    if (begins_own_trace(lines.line())) return decodesim_format;
    TraceFields fields;
    static_cast<void>(fields.split(lines.line(), 0));  // an open quote is told by who reads the names
    Names names;
    for (std::size_t i = 0; i < fields.size(); ++i) names.push_back(fields.text(i));
    if (has_any(names, azure_format)) return azure_format;
    if (has_any(names, decodesim_format)) return decodesim_format;
    for (const TraceFormatInfo* format : trace_formats()) {
      if (format->shape == TraceShape::csv && has_all_required(names, *format))
        refuse_untold(lines, 0, *format, mistakes);
    }
    refuse_unknown(lines, names, mistakes);
  }
  mistakes.add(lines, 0,
               "the file is empty; a trace has names of columns and one row a request, or one JSON object a row");
  mistakes.throw_if_any();
  return decodesim_format;
}

}  // namespace decodesim
