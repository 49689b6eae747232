// Which column of a trace means what.

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "sim/core/nearest_name.hpp"
#include "sim/core/suggest.hpp"
#include "sim/workload/trace_fields.hpp"
#include "sim/workload/trace_layout.hpp"

namespace decodesim {

namespace {

/// The names of one kind of file and, place by place, what they mean.
struct ColumnTable {
  std::span<const std::string_view> names;
  std::span<const TraceColumn> meanings;

  [[nodiscard]] std::optional<TraceColumn> meaning(std::string_view name) const {
    const auto at = std::find(names.begin(), names.end(), name);
    if (at == names.end()) return std::nullopt;
    return meanings[static_cast<std::size_t>(at - names.begin())];
  }
};

constexpr std::array<std::string_view, 12> own_names{
    "arrival_s", "arrival_ns",   "input_tokens",  "output_tokens", "id",        "max_tokens",
    "priority",  "prefix_group", "prefix_tokens", "tenant",        "slo_class", "deadline_s"};
constexpr std::array own_meanings{TraceColumn::arrival_s,     TraceColumn::arrival_ns,   TraceColumn::input_tokens,
                                  TraceColumn::output_tokens, TraceColumn::id,           TraceColumn::max_tokens,
                                  TraceColumn::priority,      TraceColumn::prefix_group, TraceColumn::prefix_tokens,
                                  TraceColumn::tenant,        TraceColumn::slo_class,    TraceColumn::deadline_s};
constexpr std::array<std::string_view, 3> azure_names{"TIMESTAMP", "ContextTokens", "GeneratedTokens"};
constexpr std::array azure_meanings{TraceColumn::timestamp, TraceColumn::input_tokens, TraceColumn::output_tokens};
static_assert(own_names.size() == own_meanings.size() && azure_names.size() == azure_meanings.size());

constexpr ColumnTable own_table{own_names, own_meanings};
constexpr ColumnTable azure_table{azure_names, azure_meanings};

bool any_known(const TraceFields& fields, const ColumnTable& table) {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (table.meaning(fields.text(i))) return true;
  }
  return false;
}

/// A file without a single name that we know: probably one of another kind, or one without a line of names.
void refuse_unknown(const TraceLines& lines, std::size_t indent, const TraceFields& fields, TraceMistakes& mistakes) {
  std::vector<std::string_view> allowed(own_names.begin(), own_names.end());
  allowed.insert(allowed.end(), azure_names.begin(), azure_names.end());
  std::string found;
  std::string hint;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    found += (i == 0 ? "'" : ", '") + std::string(fields.text(i).substr(0, 40)) + "'";
    const auto near = nearest_name(fields.text(i), allowed);
    if (near && hint.empty()) hint = "; did you mean '" + std::string(*near) + "'?";
  }
  mistakes.add(lines, indent,
               "this line should name the columns: " + std::string(trace_columns_wanted) + "; found " + found + hint);
  mistakes.throw_if_any();
}

/// Names that stand twice or that nobody knows; other columns of an Azure file are its own business.
void check_names(const TraceLines& lines, const TraceFields& fields, bool azure, TraceMistakes& mistakes) {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const std::string_view name = fields.text(i);
    const bool known = (azure ? azure_table : own_table).meaning(name).has_value();
    if (!known && !azure && name.substr(0, 2) != "x-") {
      mistakes.add(lines, fields.offset(i),
                   "unknown column '" + std::string(name) + "': " + suggestion(name, own_names) +
                       "; columns that begin with x- are ignored");
    }
    for (std::size_t j = 0; j < i && known; ++j) {
      if (fields.text(j) == name)
        mistakes.add(lines, fields.offset(i), "column '" + std::string(name) + "' is there twice");
    }
  }
}

}  // namespace

TraceLayout read_trace_columns(const TraceLines& lines, std::size_t indent, TraceMistakes& mistakes) {
  TraceFields fields;
  if (!fields.split(lines.line(), indent)) {
    mistakes.add(lines, fields.offset(fields.size() - 1), "this quote is not closed before the next comma");
    mistakes.throw_if_any();
  }
  const bool azure = any_known(fields, azure_table);
  if (!azure && !any_known(fields, own_table)) refuse_unknown(lines, indent, fields, mistakes);
  check_names(lines, fields, azure, mistakes);

  TraceLayout layout{.columns = {}, .names = {}, .indent = indent, .json = false};
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const auto meaning = (azure ? azure_table : own_table).meaning(fields.text(i));
    layout.columns.push_back(meaning.value_or(TraceColumn::ignored));
    layout.names.emplace_back(fields.text(i));
  }
  const auto has = [&](std::string_view name) {
    return std::find(layout.names.begin(), layout.names.end(), name) != layout.names.end();
  };
  const auto need = [&](std::string_view name) {
    if (has(name)) return;
    mistakes.add(lines, indent, "there is no column '" + std::string(name) + "': " + std::string(trace_columns_wanted));
  };
  if (azure) {
    for (const std::string_view name : azure_names) need(name);
  } else {
    if (!has("arrival_ns")) need("arrival_s");
    need("input_tokens");
    need("output_tokens");
    if (has("arrival_s") && has("arrival_ns")) {
      mistakes.add(lines, indent, "the arrival is there twice, as arrival_s and as arrival_ns; keep one");
    }
    if (has("prefix_group") || has("prefix_tokens")) {
      need("prefix_group");
      need("prefix_tokens");
    }
  }
  mistakes.throw_if_any();
  return layout;
}

}  // namespace decodesim
