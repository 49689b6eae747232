#include "sim/scenario/trace_diagnostics.hpp"

#include <algorithm>
#include <limits>

namespace decodesim {

namespace {

/// The place in characters of a place in bytes, both from 1.
int character_column(const TraceMistake& mistake) {
  const auto bytes = std::min(static_cast<std::size_t>(mistake.column - 1), mistake.text.size());
  // Bytes of UTF-8 after a character's first.
  const auto more = std::count_if(mistake.text.begin(), mistake.text.begin() + static_cast<std::ptrdiff_t>(bytes),
                                  [](char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; });
  return static_cast<int>(std::min<std::int64_t>(mistake.column - more, std::numeric_limits<int>::max()));
}

}  // namespace

std::vector<Diagnostic> trace_diagnostics(const TraceError& error) {
  std::vector<Diagnostic> diagnostics;
  for (const TraceMistake& mistake : error.mistakes()) {
    Diagnostic diagnostic;
    diagnostic.code = error.unreadable() ? "unreadable-file" : "trace";
    diagnostic.message = mistake.message;
    diagnostic.file = error.file();
    diagnostic.line = static_cast<int>(std::min<std::int64_t>(mistake.line, std::numeric_limits<int>::max()));
    if (mistake.line > 0) diagnostic.column = character_column(mistake);
    diagnostic.source_line = mistake.text;
    diagnostics.push_back(diagnostic);
  }
  return diagnostics;
}

}  // namespace decodesim
