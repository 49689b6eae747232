#pragma once
// What can be told of a text without its tree.

#include <cstddef>
#include <optional>
#include <string_view>

namespace decodesim {

/// The innermost bracket of YAML that is still open at the end of the text, from the one at `start` on; nothing where
/// that one is closed. Brackets in quotes and comments do not count.
std::optional<std::size_t> never_closed(std::string_view text, std::size_t start);

bool is_utf8(std::string_view text);

}  // namespace decodesim
