#include "sim/study/measured_columns.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>

#include "sim/core/suggest.hpp"

namespace decodesim {

namespace {

struct ColumnName {
  std::string_view name;
  MeasuredColumn column;
};

// The first name of a column is ours; others are what published tables call the same.
constexpr std::array column_names{
    ColumnName{"id", MeasuredColumn::id},
    ColumnName{"note", MeasuredColumn::note},
    ColumnName{"notes", MeasuredColumn::note},
    ColumnName{"source", MeasuredColumn::source},
    ColumnName{"model", MeasuredColumn::model},
    ColumnName{"gpu", MeasuredColumn::gpu},
    ColumnName{"node", MeasuredColumn::node},
    ColumnName{"gpus", MeasuredColumn::gpus},
    ColumnName{"n_gpus", MeasuredColumn::gpus},
    ColumnName{"tp", MeasuredColumn::tp},
    ColumnName{"engine", MeasuredColumn::engine},
    ColumnName{"weights", MeasuredColumn::weights},
    ColumnName{"precision_weights", MeasuredColumn::weights},
    ColumnName{"kv_cache", MeasuredColumn::kv_cache},
    ColumnName{"precision_kv", MeasuredColumn::kv_cache},
    ColumnName{"input_tokens", MeasuredColumn::input_tokens},
    ColumnName{"isl", MeasuredColumn::input_tokens},
    ColumnName{"output_tokens", MeasuredColumn::output_tokens},
    ColumnName{"osl", MeasuredColumn::output_tokens},
    ColumnName{"concurrency", MeasuredColumn::concurrency},
    ColumnName{"batch", MeasuredColumn::concurrency},
    ColumnName{"concurrency_or_max_batch", MeasuredColumn::concurrency},
    ColumnName{"num_requests", MeasuredColumn::num_requests},
    ColumnName{"max_num_seqs", MeasuredColumn::max_num_seqs},
    ColumnName{"max_num_batched_tokens", MeasuredColumn::max_num_batched_tokens},
    ColumnName{"ttft_ms", MeasuredColumn::ttft_ms},
    ColumnName{"tpot_ms", MeasuredColumn::tpot_ms},
    ColumnName{"output_throughput", MeasuredColumn::output_throughput},
    ColumnName{"metric", MeasuredColumn::metric},
    ColumnName{"value", MeasuredColumn::value},
    ColumnName{"unit", MeasuredColumn::unit},
    ColumnName{"params", MeasuredColumn::ignored},  // the model's name says it
};

std::optional<MeasuredColumn> column_of(std::string_view name) {
  if (name.starts_with("x-")) return MeasuredColumn::ignored;
  for (const ColumnName& known : column_names) {
    if (known.name == name) return known.column;
  }
  return std::nullopt;
}

void unknown_column(std::string_view name, const Position& at, Reading& reading) {
  std::vector<std::string_view> names;
  names.reserve(std::size(column_names));
  for (const ColumnName& known : column_names) names.push_back(known.name);
  reading.error(at, "unknown-column", "unknown column '" + std::string(name) + "'",
                suggestion(name, names) + " Notes go into 'note', or into columns whose names begin with x-");
}

}  // namespace

std::string_view measured_column_name(MeasuredColumn column) {
  for (const ColumnName& known : column_names) {
    if (known.column == column) return known.name;
  }
  return {};
}

bool MeasuredLayout::has(MeasuredColumn column) const {
  return std::find(columns.begin(), columns.end(), column) != columns.end();
}

MeasuredLayout read_measured_columns(const TraceFields& names, std::size_t start, Locator& locator, Reading& reading) {
  MeasuredLayout layout;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string_view name = names.text(i);
    const Position at = locator.position(start + names.offset(i), std::max<std::size_t>(1, name.size()));
    const std::optional<MeasuredColumn> column = column_of(name);
    if (!column) unknown_column(name, at, reading);
    if (column && *column != MeasuredColumn::ignored && layout.has(*column)) {
      reading.error(
          at, "duplicate-column",
          "'" + std::string(measured_column_name(*column)) + "' is there twice, here as '" + std::string(name) + "'",
          "keep one of the two");
    }
    layout.columns.push_back(column.value_or(MeasuredColumn::ignored));
  }
  const Position line = locator.position(start, 1);
  const auto need_one = [&](std::initializer_list<MeasuredColumn> some) {
    if (std::any_of(some.begin(), some.end(), [&](MeasuredColumn one) { return layout.has(one); })) return;
    std::string words;
    for (MeasuredColumn one : some)
      words += (words.empty() ? "'" : ", '") + std::string(measured_column_name(one)) + "'";
    reading.error(line, "missing-column", "there is no column " + (some.size() > 1 ? "of " + words : words),
                  "the first line names the columns, in any order");
  };
  need_one({MeasuredColumn::input_tokens});
  need_one({MeasuredColumn::output_tokens});
  need_one({MeasuredColumn::concurrency});
  if (layout.is_long()) {
    need_one({MeasuredColumn::value});
  } else {
    need_one({MeasuredColumn::ttft_ms, MeasuredColumn::tpot_ms, MeasuredColumn::output_throughput});
  }
  return layout;
}

}  // namespace decodesim
