// Which formats there are, and which the head of a file tells.

#include <algorithm>
#include <array>

#include "sim/core/check.hpp"
#include "sim/core/nearest_name.hpp"
#include "sim/workload/traces/fields.hpp"
#include "sim/workload/traces/formats/formats.hpp"
#include "sim/workload/traces/json_line.hpp"

namespace decodesim {

namespace {

constexpr std::array<const TraceFormatInfo*, 13> formats{
    &decodesim_format,    &csv_format,      &azure_format,      &mooncake_format,      &burstgpt_format,
    &qwen_bailian_format, &servegen_format, &vidur_format,      &splitwise_sim_format, &aibrix_format,
    &aiperf_format,       &blis_format,     &vllm_bench_format,
};

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
                   ", but others may use them too: state it, `trace: {file: " + lines.name() + ", format: " + name +
                   "}`, or --format " + name);
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
  for (const TraceFormatInfo* format : formats) {
    const bool its_own = format->others_ignored || has_no_others(names, *format);
    if (format->shape != TraceShape::csv && format != &mooncake_format && its_own && has_all_required(names, *format))
      refuse_untold(lines, 0, *format, mistakes);
  }
  return mooncake_format;
}

}  // namespace

std::string found_names(std::span<const std::string_view> names, std::span<const std::string_view> known) {
  std::string found;
  std::string hint;
  for (const std::string_view name : names) {
    found += (found.empty() ? "found '" : ", '") + std::string(name.substr(0, 40)) + "'";
    const auto near = nearest_name(name, known);
    if (near && hint.empty()) hint = "; did you mean '" + std::string(*near) + "'?";
  }
  return found + hint;
}

std::span<const TraceFormatInfo* const> trace_formats() { return formats; }

const TraceFormatInfo& trace_format(TraceFormat format) {
  const auto found =
      std::find_if(formats.begin(), formats.end(), [&](const TraceFormatInfo* one) { return one->format == format; });
  check(found != formats.end(), "every format of traces stands in the table");
  return **found;
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
    for (const TraceFormatInfo* format : formats) {
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
