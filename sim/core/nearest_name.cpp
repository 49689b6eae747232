#include "sim/core/nearest_name.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "sim/core/letters.hpp"

namespace decodesim {

namespace {

/// Edits that turn `a` into `b` (optimal string alignment), row by row, keeping the last two rows for swaps.
std::size_t edits_between(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before.swap(last);
    last.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const char x = lower(a[i - 1]);
      const char y = lower(b[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (x == y ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && x == lower(b[j - 2]) && lower(a[i - 2]) == y;
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

// Names are short; a pasted novel must not cost a quadratic table.
constexpr std::size_t longest_word = 200;

}  // namespace

std::optional<std::string_view> nearest_name(std::string_view word, std::span<const std::string_view> names) {
  if (word.size() > longest_word) return std::nullopt;
  std::optional<std::string_view> nearest;
  std::size_t fewest = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string_view name : names) {
    const std::size_t edits = edits_between(word, name);
    if (edits >= fewest) continue;
    nearest = name;
    fewest = edits;
  }
  return nearest;
}

}  // namespace decodesim
