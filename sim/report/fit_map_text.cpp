#include "sim/report/fit_map_text.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "sim/report/explanation_values.hpp"
#include "sim/report/number_text.hpp"

namespace decodesim {

namespace {

constexpr std::size_t cell_width = 7;
constexpr std::size_t head_width = 20;  // context, and the most that fit

std::string right(const std::string& text, std::size_t width) {
  return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
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
std::vector<std::size_t> shown_batches(const FitMap& map, std::size_t width) {
  std::vector<std::size_t> shown(map.batches.size());
  for (std::size_t i = 0; i < shown.size(); ++i) shown[i] = i;
  const std::size_t room = width > head_width ? (width - head_width) / cell_width : 0;
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
  const std::vector<std::size_t> shown = shown_batches(map, width);
  out << "\nWhat fits: contexts down, sequences at once across, and their share of the pool\n";
  out << right("context", 10) << right("at most", 10);
  for (std::size_t i : shown) out << right(grouped(map.batches[i]), cell_width);
  out << '\n';
  for (std::size_t row = 0; row < map.contexts.size(); ++row) {
    out << right(context_text(map.contexts[row]), 10) << right(grouped(map.most[row]), 10);
    for (std::size_t i : shown) out << right(cell_text(map.cells[row][i]), cell_width);
    out << '\n';
  }
  if (has(map, Fit::waits)) out << "  wait   the pool does not hold so many: the rest waits, or is preempted\n";
  if (has(map, Fit::never)) out << "  never  the pool does not hold even one\n";
  if (has(map, Fit::beyond_length)) out << "  long   beyond max_model_len\n";
  if (has(map, Fit::beyond_sequences)) out << "  seqs   the pool holds them, but max_num_seqs allows fewer\n";
}

}  // namespace decodesim
