#pragma once
// Tables of text: aligned for a terminal, or in Markdown.

#include <cstddef>
#include <iosfwd>
#include <string>
#include <vector>

namespace decodesim {

using TableLine = std::vector<std::string>;

/// Lines under a head, each column as wide as what stands in it; the first `words` columns are words, set to the left, the
/// others numbers, set to the right.
void write_table(const TableLine& head, const std::vector<TableLine>& lines, std::size_t words, std::ostream& out);

/// The same as a Markdown table.
void write_markdown_table(const TableLine& head, const std::vector<TableLine>& lines, std::ostream& out);

}  // namespace decodesim
