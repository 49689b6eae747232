#pragma once
// Letters of ASCII, whatever the locale.

#include <string>
#include <string_view>

namespace decodesim {

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

inline std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = lower(c);
  return result;
}

}  // namespace decodesim
