#include "sim/study/table_text.hpp"

#include <algorithm>
#include <ostream>

#include "sim/report/columns.hpp"

namespace decodesim {

void write_table(const TableLine& head, const std::vector<TableLine>& lines, std::size_t words, std::ostream& out) {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < head.size(); ++i) {
    widths.push_back(width_of(head[i]));
    for (const TableLine& line : lines) widths[i] = std::max(widths[i], width_of(line[i]));
  }
  const auto write = [&](const TableLine& line) {
    std::string text;
    for (std::size_t i = 0; i < line.size(); ++i) {
      text += (i == 0 ? "" : "  ") + (i < words ? left(line[i], widths[i]) : right(line[i], widths[i]));
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out << text << '\n';
  };
  write(head);
  for (const TableLine& line : lines) write(line);
}

void write_markdown_table(const TableLine& head, const std::vector<TableLine>& lines, std::ostream& out) {
  const auto write = [&](const TableLine& line) {
    out << '|';
    for (const std::string& cell : line) {
      out << ' ';
      for (char c : cell) out << (c == '|' ? "\\|" : std::string(1, c));
      out << " |";
    }
    out << '\n';
  };
  write(head);
  out << '|';
  for (std::size_t i = 0; i < head.size(); ++i) out << "---|";
  out << '\n';
  for (const TableLine& line : lines) write(line);
}

}  // namespace decodesim
