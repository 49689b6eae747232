#pragma once
// A trace's text, line by line, and the mistakes found in it.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/workload/traces/bytes.hpp"
#include "sim/workload/traces/trace.hpp"

namespace decodesim {

/// Walks the lines of a text. A line ends in LF, CRLF or the end of the text; a byte order mark of UTF-8 at the beginning is
/// passed over. Keeps one piece of the text, or one line where that is longer.
class TraceLines {
 public:
  /// Throws TraceError where the text is UTF-16, or its lines end in CR alone.
  explicit TraceLines(TraceBytes bytes);

  /// Goes to the next line; what line() gave before is gone then. False where there is none, and then it stays on the last.
  bool next() {
    const void* end = std::memchr(begin_, '\n', static_cast<std::size_t>(end_ - begin_));
    if (end == nullptr) return next_across();
    take(static_cast<const char*>(end));
    return true;
  }
  /// Goes to the next line that is neither empty nor a comment; false where there is none.
  bool next_of_head();
  /// Goes back to before the first line.
  void rewind();

  /// Without its end. Eight bytes behind it can be read, the first of which is CR or LF, so that who reads on needs not count.
  [[nodiscard]] std::string_view line() const { return line_; }
  /// From 1.
  [[nodiscard]] std::int64_t number() const { return number_; }
  [[nodiscard]] const std::string& name() const { return bytes_.name(); }

 private:
  /// The line up to the line feed at `end`, which is taken too.
  void take(const char* end) {
    line_ = {begin_, static_cast<std::size_t>(end - begin_)};
    begin_ = end + 1;
    if (!line_.empty() && line_.back() == '\r') line_.remove_suffix(1);
    ++number_;
  }
  bool next_across();
  bool fill();

  TraceBytes bytes_;
  std::string piece_;
  const char* begin_ = nullptr;  // of what is left of it
  const char* end_ = nullptr;
  bool ended_ = false;  // the bytes
  std::string_view line_;
  std::int64_t number_ = 0;
};

/// Collects mistakes, so that one run shows all of them, up to a number that still fits a screen.
class TraceMistakes {
 public:
  explicit TraceMistakes(std::string file) : file_(std::move(file)) {}

  /// `offset` counts the bytes of the line before the place meant. Throws TraceError when enough have come together.
  void add(const TraceLines& at, std::size_t offset, std::string message) {
    add(at.number(), offset, std::move(message), at.line());
  }
  /// The same at a line that was passed already.
  void add(std::int64_t number, std::size_t offset, std::string message, std::string_view line) {
    mistakes_.push_back(
        {number, static_cast<std::int64_t>(offset) + 1, std::move(message), std::string(line.substr(0, 200))});
    if (mistakes_.size() == most_trace_mistakes) throw_if_any();
  }
  [[nodiscard]] bool any() const { return !mistakes_.empty(); }
  /// In the order of the file, since what is wrong with a row may be known only once others have been read.
  void throw_if_any() {
    if (mistakes_.empty()) return;
    std::stable_sort(mistakes_.begin(), mistakes_.end(),
                     [](const TraceMistake& a, const TraceMistake& b) { return a.line < b.line; });
    throw TraceError(file_, mistakes_);
  }

 private:
  std::string file_;
  std::vector<TraceMistake> mistakes_;
};

}  // namespace decodesim
