#include "sim/report/json_writer.hpp"

#include <array>
#include <charconv>
#include <cmath>

#include "sim/core/check.hpp"
#include "sim/report/number_text.hpp"
#include "sim/report/utf8.hpp"

namespace decodesim {

namespace {

template <class Number>
std::string_view shortest(std::array<char, 32>& room, Number number) {
  const auto result = std::to_chars(room.data(), room.data() + room.size(), number);
  return {room.data(), static_cast<std::size_t>(result.ptr - room.data())};
}

}  // namespace

JsonWriter& JsonWriter::key(std::string_view name) {
  check(!levels_.empty() && levels_.back().close == '}' && !after_key_, "a JSON key stands outside an object");
  if (!levels_.back().empty) raw(layout_ == Layout::line ? ", " : ",");
  levels_.back().empty = false;
  new_line();
  quoted(name);
  raw(": ");
  after_key_ = true;
  return *this;
}

void JsonWriter::separate() {
  if (after_key_ || levels_.empty()) {
    after_key_ = false;
    return;
  }
  check(levels_.back().close == ']', "a JSON value in an object lacks its key");
  if (!levels_.back().empty) raw(",");
  levels_.back().empty = false;
  new_line();
}

void JsonWriter::new_line() {
  if (layout_ == Layout::line) return;
  raw("\n");
  for (std::size_t i = 0; i < levels_.size(); ++i) raw("  ");
}

JsonWriter& JsonWriter::begin(char open, char close) {
  separate();
  out_.put(open);
  levels_.push_back({close});
  return *this;
}

JsonWriter& JsonWriter::end(char close) {
  check(!levels_.empty() && levels_.back().close == close && !after_key_, "a JSON bracket closes what is not open");
  const bool empty = levels_.back().empty;
  levels_.pop_back();
  if (!empty) new_line();
  out_.put(close);
  return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) {
  separate();
  quoted(text);
  return *this;
}

JsonWriter& JsonWriter::value(bool truth) {
  separate();
  raw(truth ? "true" : "false");
  return *this;
}

JsonWriter& JsonWriter::value(double number) {
  if (!std::isfinite(number)) return null();
  separate();
  std::array<char, 32> room;
  raw(shortest(room, number == 0 ? 0.0 : number));  // no negative zero
  return *this;
}

JsonWriter& JsonWriter::value(std::int64_t number) {
  separate();
  std::array<char, 32> room;
  raw(shortest(room, number));
  return *this;
}

JsonWriter& JsonWriter::value(std::uint64_t number) {
  separate();
  std::array<char, 32> room;
  raw(shortest(room, number));
  return *this;
}

JsonWriter& JsonWriter::null() {
  separate();
  raw("null");
  return *this;
}

JsonWriter& JsonWriter::seconds(Duration duration) {
  separate();
  raw(seconds_text(duration, Zeros::trimmed));
  return *this;
}

void JsonWriter::quoted(std::string_view text) {
  static constexpr std::string_view hex = "0123456789abcdef";
  out_.put('"');
  std::size_t plain = 0;  // start of what needs no escape
  for (std::size_t at = 0; at < text.size();) {
    const unsigned char byte = static_cast<unsigned char>(text[at]);
    const std::size_t length = utf8_length(text, at);
    if (length > 0 && byte >= 0x20 && byte != '"' && byte != '\\' && byte != 0x7f) {
      at += length;
      continue;
    }
    raw(text.substr(plain, at - plain));
    if (length == 0) {
      raw("\xEF\xBF\xBD");
    } else if (byte == '"' || byte == '\\') {
      out_.put('\\').put(text[at]);
    } else if (byte == '\n') {
      raw("\\n");
    } else if (byte == '\t') {
      raw("\\t");
    } else {
      raw("\\u00");
      out_.put(hex[byte >> 4]).put(hex[byte & 15]);
    }
    plain = ++at;
  }
  raw(text.substr(plain));
  out_.put('"');
}

}  // namespace decodesim
