// How a mistake of a trace is shown.

#include <utility>

#include "sim/workload/trace.hpp"

namespace decodesim {

namespace {

// Longer lines are cut, since a file without line breaks would otherwise be printed whole.
constexpr std::size_t shown_columns = 160;

std::string shown(const std::string& file, const std::vector<TraceMistake>& mistakes) {
  std::string out;
  for (const TraceMistake& mistake : mistakes) {
    if (!out.empty()) out += '\n';
    out += file;
    if (mistake.line > 0) out += ':' + std::to_string(mistake.line) + ':' + std::to_string(mistake.column);
    out += ": " + mistake.message;
    const auto column = static_cast<std::size_t>(mistake.column);
    if (mistake.text.empty() || column == 0 || column > shown_columns) continue;
    std::string caret_line;
    for (std::size_t i = 0; i + 1 < column; ++i) {
      const char c = i < mistake.text.size() ? mistake.text[i] : ' ';
      // A continuation byte of UTF-8 takes no place of its own, and a tab keeps its width.
      if ((static_cast<unsigned char>(c) & 0xC0) != 0x80) caret_line += c == '\t' ? '\t' : ' ';
    }
    out += "\n  " + mistake.text.substr(0, shown_columns) + "\n  " + caret_line + '^';
  }
  return out;
}

}  // namespace

TraceError::TraceError(std::string file, std::vector<TraceMistake> mistakes, bool unreadable)
    : std::runtime_error(shown(file, mistakes)),
      file_(std::move(file)),
      mistakes_(std::move(mistakes)),
      unreadable_(unreadable) {}

}  // namespace decodesim
