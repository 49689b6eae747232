#include "sim/scenario/value_list.hpp"

namespace decodesim {

std::string trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(" \t") - first + 1));
}

std::vector<std::string> split_values(std::string_view text) {
  std::vector<std::string> values;
  std::string value;
  int depth = 0;
  char quote = '\0';
  for (char c : text) {
    if (quote != '\0') {
      if (c == quote) quote = '\0';
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      --depth;
    } else if (c == ',' && depth == 0) {
      values.push_back(trimmed(value));
      value.clear();
      continue;
    }
    value += c;
  }
  values.push_back(trimmed(value));
  return values;
}

}  // namespace decodesim
