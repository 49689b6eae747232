// Mistakes of a trace, in words.

#include <utility>

#include "sim/workload/traces/trace.hpp"

namespace decodesim {

namespace {

std::string listed(const std::string& file, const std::vector<TraceMistake>& mistakes) {
  std::string out;
  for (const TraceMistake& mistake : mistakes) {
    if (!out.empty()) out += '\n';
    out += file;
    if (mistake.line > 0) out += ':' + std::to_string(mistake.line) + ':' + std::to_string(mistake.column);
    out += ": " + mistake.message;
  }
  return out;
}

}  // namespace

TraceError::TraceError(std::string file, std::vector<TraceMistake> mistakes, bool unreadable)
    : std::runtime_error(listed(file, mistakes)),
      file_(std::move(file)),
      mistakes_(std::move(mistakes)),
      unreadable_(unreadable) {}

}  // namespace decodesim
