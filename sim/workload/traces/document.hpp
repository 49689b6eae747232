#pragma once
// A JSON text of several lines, read whole.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/workload/traces/lines.hpp"

namespace decodesim {

/// The lines that are left of a file as one text, a blank between them, which remembers where each began.
class TraceDocument {
 public:
  explicit TraceDocument(TraceLines& lines);

  [[nodiscard]] const std::string& text() const { return text_; }
  /// A mistake at an offset of the text.
  void add(TraceMistakes& mistakes, std::size_t offset, std::string message) const;

 private:
  std::string text_;
  std::vector<std::size_t> begins_;  // of its lines
  std::int64_t first_ = 1;           // the number of the first
};

}  // namespace decodesim
