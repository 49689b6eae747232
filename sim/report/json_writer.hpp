#pragma once
// Writes JSON as it comes, with the same bytes on every machine.

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/time.hpp"

namespace decodesim {

/// Streams one JSON value after another to `out`; nothing is kept but the nesting.
///
/// Keys come out in the order they are written. Strings are escaped, and bytes that are not UTF-8 become U+FFFD, so the
/// output is always valid. Doubles are the shortest text that reads back as the same number; what is absent or not
/// finite is null. Calls out of order (a value without its key in an object, an end without its begin) throw
/// BrokenInvariant.
class JsonWriter {
 public:
  /// `indented`: two spaces a level, for documents. `line`: everything on one line, for JSON Lines.
  enum class Layout { indented, line };

  explicit JsonWriter(std::ostream& out, Layout layout = Layout::indented) : out_(out), layout_(layout) {}

  JsonWriter& begin_object() { return begin('{', '}'); }
  JsonWriter& end_object() { return end('}'); }
  JsonWriter& begin_array() { return begin('[', ']'); }
  JsonWriter& end_array() { return end(']'); }
  JsonWriter& key(std::string_view name);

  JsonWriter& value(std::string_view text);
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(bool truth);
  JsonWriter& value(double number);
  JsonWriter& value(std::int64_t number);
  JsonWriter& value(std::uint64_t number);
  JsonWriter& value(int number) { return value(static_cast<std::int64_t>(number)); }
  JsonWriter& null();
  template <class T>
  JsonWriter& value(const std::optional<T>& maybe) {
    return maybe ? value(*maybe) : null();
  }
  /// Seconds with every nanosecond, without trailing zeros.
  JsonWriter& seconds(Duration duration);
  JsonWriter& seconds(Time time) { return seconds(time.time_since_epoch()); }

  template <class T>
  JsonWriter& member(std::string_view name, const T& content) {
    return key(name).value(content);
  }
  /// A text, or null where it is empty.
  JsonWriter& member_text(std::string_view name, const std::string& text) {
    key(name);
    return text.empty() ? null() : value(text);
  }
  /// A list of texts.
  JsonWriter& member_texts(std::string_view name, const std::vector<std::string>& texts) {
    member_array(name);
    for (const std::string& text : texts) value(text);
    return end_array();
  }
  JsonWriter& member_object(std::string_view name) { return key(name).begin_object(); }
  JsonWriter& member_array(std::string_view name) { return key(name).begin_array(); }

 private:
  struct Level {
    char close;
    bool empty = true;
  };
  JsonWriter& begin(char open, char close);
  JsonWriter& end(char close);
  /// Writes what stands between the previous value and the next one.
  void separate();
  void new_line();
  void raw(std::string_view text) { out_.write(text.data(), static_cast<std::streamsize>(text.size())); }
  void quoted(std::string_view text);

  std::ostream& out_;
  Layout layout_;
  std::vector<Level> levels_;
  bool after_key_ = false;
};

}  // namespace decodesim
