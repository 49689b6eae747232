#include "sim/report/fit_map_text.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "sim/report/columns.hpp"
#include "sim/report/explanation_values.hpp"
#include "sim/report/number_text.hpp"

namespace decodesim {

namespace {

/// Widths of the columns, a space before each text included.
struct Widths {
  std::size_t context = 10;
  std::size_t most = 10;
  std::size_t cell = 7;
};

Widths widths_of(const FitMap& map) {
  Widths widths;
  for (std::int64_t one : map.contexts) widths.context = std::max(widths.context, context_text(one).size() + 1);
  for (std::int64_t one : map.most) widths.most = std::max(widths.most, grouped(one).size() + 1);
  for (std::int64_t one : map.batches) widths.cell = std::max(widths.cell, grouped(one).size() + 1);
  return widths;
}

std::string cell_text(const FitMap::Cell& cell) {
  switch (cell.verdict) {
    case Fit::fits: {
      const auto percent = static_cast<std::int64_t>(std::ceil(cell.pool_use * 100));
      return std::to_string(percent) + " %";
    }
    case Fit::waits:
      return "wait";
    case Fit::never:
      return "never";
    case Fit::beyond_length:
      return "long";
    case Fit::beyond_sequences:
      return "seqs";
  }
  return {};
}

/// Indices of the batches that are shown.
std::vector<std::size_t> shown_batches(const FitMap& map, const Widths& widths, std::size_t width) {
  std::vector<std::size_t> shown(map.batches.size());
  for (std::size_t i = 0; i < shown.size(); ++i) shown[i] = i;
  const std::size_t head = widths.context + widths.most;
  const std::size_t room = width > head ? (width - head) / widths.cell : 0;
  while (shown.size() > std::max<std::size_t>(room, 3)) {
    std::vector<std::size_t> fewer;
    for (std::size_t i = 0; i < shown.size(); ++i)
      if (i % 2 == 0 || i + 2 >= shown.size()) fewer.push_back(shown[i]);
    if (fewer.size() == shown.size()) break;
    shown = std::move(fewer);
  }
  return shown;
}

bool has(const FitMap& map, Fit verdict) {
  for (const auto& row : map.cells)
    for (const FitMap::Cell& cell : row)
      if (cell.verdict == verdict) return true;
  return false;
}

}  // namespace

void write_fit_map(std::ostream& out, const FitMap& map, std::size_t width) {
  const Widths widths = widths_of(map);
  const std::vector<std::size_t> shown = shown_batches(map, widths, width);
  out << "\nWhat fits: contexts down, sequences at once across, and their share of the pool\n";
  out << right("context", widths.context) << right("at most", widths.most);
  for (std::size_t i : shown) out << right(grouped(map.batches[i]), widths.cell);
  out << '\n';
  for (std::size_t row = 0; row < map.contexts.size(); ++row) {
    out << right(context_text(map.contexts[row]), widths.context) << right(grouped(map.most[row]), widths.most);
    for (std::size_t i : shown) out << right(cell_text(map.cells[row][i]), widths.cell);
    out << '\n';
  }
  if (has(map, Fit::waits)) out << "  wait   the pool does not hold so many: the rest waits, or is preempted\n";
  if (has(map, Fit::never)) out << "  never  the pool does not hold even one\n";
  if (has(map, Fit::beyond_length)) out << "  long   beyond max_model_len\n";
  if (has(map, Fit::beyond_sequences)) out << "  seqs   the pool holds them, but max_num_seqs allows fewer\n";
}

}  // namespace decodesim
