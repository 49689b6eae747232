#pragma once
// Text in columns.

#include <cstddef>
#include <string>
#include <string_view>

namespace decodesim {

/// Columns that UTF-8 text takes on a terminal, at one a character.
std::size_t width_of(std::string_view text);

/// `text` with blanks after it up to `width` columns; never shortened.
std::string left(std::string_view text, std::size_t width);
/// The same with blanks before it.
std::string right(std::string_view text, std::size_t width);
/// `text` amid `fill`, the odd one after it.
std::string centred(std::string_view text, std::size_t width, char fill);

}  // namespace decodesim
