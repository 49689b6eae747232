#pragma once
// Tells text from bytes that are none, so that a user's names can be shown safely.

#include <cstddef>
#include <string>
#include <string_view>

namespace decodesim {

/// Bytes of the character that starts at text[at]: 1 to 4, or 0 where these bytes are not UTF-8 (a stray or missing
/// continuation, an overlong form, a surrogate, beyond U+10FFFF).
std::size_t utf8_length(std::string_view text, std::size_t at);

/// `text` for a terminal: control characters (C0, DEL and C1) as \xNN or \u00NN, bytes that are not UTF-8 as U+FFFD, so
/// that no name can move the cursor or change colours.
std::string printable(std::string_view text);
/// The same of the name of a class or a tenant, which those without one have empty.
inline std::string printable_name(std::string_view name) { return name.empty() ? "(none)" : printable(name); }

}  // namespace decodesim
