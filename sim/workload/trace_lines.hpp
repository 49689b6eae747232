#pragma once
// A trace's text, line by line, and the mistakes found in it.

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/workload/trace.hpp"

namespace decodesim {

/// Walks the lines of a text. A line ends in LF, CRLF or the end of the text.
class TraceLines {
 public:
  explicit TraceLines(std::string_view text) : rest_(text) {
    if (rest_.substr(0, 3) == "\xEF\xBB\xBF") rest_.remove_prefix(3);  // the byte order mark of UTF-8
  }

  /// Goes to the next line; false when there is none.
  bool next() {
    if (rest_.empty()) return false;
    const void* end = std::memchr(rest_.data(), '\n', rest_.size());
    const std::size_t length =
        end == nullptr ? rest_.size() : static_cast<std::size_t>(static_cast<const char*>(end) - rest_.data());
    line_ = rest_.substr(0, length);
    rest_.remove_prefix(end == nullptr ? length : length + 1);
    if (!line_.empty() && line_.back() == '\r') line_.remove_suffix(1);
    ++number_;
    return true;
  }

  [[nodiscard]] std::string_view line() const { return line_; }
  /// From 1.
  [[nodiscard]] std::int64_t number() const { return number_; }
  /// True where nothing but blanks and line breaks follows this line.
  [[nodiscard]] bool rest_is_blank() const { return rest_.find_first_not_of(" \t\r\n") == std::string_view::npos; }

 private:
  std::string_view rest_;
  std::string_view line_;
  std::int64_t number_ = 0;
};

/// Collects mistakes, so that one run shows all of them, up to a number that still fits a screen.
class TraceMistakes {
 public:
  explicit TraceMistakes(std::string file) : file_(std::move(file)) {}

  /// `offset` counts the bytes of the line before the place meant. Throws TraceError when enough have come together.
  void add(const TraceLines& at, std::size_t offset, std::string message) {
    mistakes_.push_back({at.number(), static_cast<std::int64_t>(offset) + 1, std::move(message),
                         std::string(at.line().substr(0, 200))});
    if (mistakes_.size() == 20) throw_if_any();
  }
  void throw_if_any() const {
    if (!mistakes_.empty()) throw TraceError(file_, mistakes_);
  }

 private:
  std::string file_;
  std::vector<TraceMistake> mistakes_;
};

}  // namespace decodesim
