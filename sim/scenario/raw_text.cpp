#include "sim/scenario/raw_text.hpp"

#include <algorithm>
#include <vector>

#include "sim/report/utf8.hpp"

namespace decodesim {

std::optional<std::size_t> never_closed(std::string_view text, std::size_t start) {
  std::vector<std::size_t> open;
  for (std::size_t at = start; at < text.size(); ++at) {
    const char letter = text[at];
    const bool starts_word =
        at == start || std::string_view(" \t\r\n[]{},:").find(text[at - 1]) != std::string_view::npos;
    if (letter == '[' || letter == '{') {
      open.push_back(at);
    } else if (letter == ']' || letter == '}') {
      if (!open.empty()) open.pop_back();
      if (open.empty()) return std::nullopt;
    } else if ((letter == '"' || letter == '\'') && starts_word) {
      for (++at; at < text.size() && text[at] != letter; ++at) {
        if (letter == '"' && text[at] == '\\') ++at;
      }
    } else if (letter == '#' && starts_word) {
      at = std::min(text.find('\n', at), text.size());
    }
  }
  return open.empty() ? std::nullopt : std::optional(open.back());
}

bool is_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text, at);
    if (length == 0) return false;
    at += length;
  }
  return true;
}

}  // namespace decodesim
