#include "sim/report/columns.hpp"

#include <algorithm>

namespace decodesim {

namespace {

std::size_t missing(std::string_view text, std::size_t width) { return width - std::min(width, width_of(text)); }

}  // namespace

std::size_t width_of(std::string_view text) {
  // Every character has one byte that does not continue another.
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string left(std::string_view text, std::size_t width) {
  return std::string(text) + std::string(missing(text, width), ' ');
}

std::string right(std::string_view text, std::size_t width) {
  return std::string(missing(text, width), ' ') + std::string(text);
}

std::string centred(std::string_view text, std::size_t width, char fill) {
  const std::size_t blanks = missing(text, width);
  return std::string(blanks / 2, fill) + std::string(text) + std::string(blanks - blanks / 2, fill);
}

}  // namespace decodesim
