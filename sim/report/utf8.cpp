#include "sim/report/utf8.hpp"

namespace decodesim {

std::size_t utf8_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const auto continues = [&](std::size_t i) { return (byte(i) & 0xC0u) == 0x80u; };
  const unsigned first = byte(at);
  const unsigned second = byte(at + 1);
  if (first < 0x80) return 1;
  if (first < 0xC2) return 0;
  if (!continues(at + 1)) return 0;
  if (first < 0xE0) return 2;
  if (!continues(at + 2)) return 0;
  if (first < 0xF0) {
    const bool overlong = first == 0xE0 && second < 0xA0;
    const bool surrogate = first == 0xED && second >= 0xA0;
    return overlong || surrogate ? 0 : 3;
  }
  if (first > 0xF4 || !continues(at + 3)) return 0;
  const bool overlong = first == 0xF0 && second < 0x90;
  const bool beyond = first == 0xF4 && second >= 0x90;
  return overlong || beyond ? 0 : 4;
}

std::string printable(std::string_view text) {
  static constexpr std::string_view hex = "0123456789abcdef";
  std::string shown;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text, at);
    const unsigned byte = static_cast<unsigned char>(text[at]);
    const bool c1 = length == 2 && byte == 0xC2 && static_cast<unsigned char>(text[at + 1]) < 0xA0;
    if (length == 0) {
      shown += "\xEF\xBF\xBD";
    } else if (c1 || (length == 1 && (byte < 0x20 || byte == 0x7F))) {
      const unsigned code = c1 ? static_cast<unsigned char>(text[at + 1]) : byte;
      shown += c1 ? "\\u00" : "\\x";
      shown += hex[code >> 4];
      shown += hex[code & 15];
    } else {
      shown += text.substr(at, length);
    }
    at += length == 0 ? 1 : length;
  }
  return shown;
}

}  // namespace decodesim
