#pragma once
// What the program says on stderr beside its results.

#include <string_view>

namespace decodesim {

/// Before any message: they go to stderr, each with its level before it.
void messages_to_stderr();

void warn(std::string_view message);
void complain(std::string_view message);
/// A fault of the program itself.
void confess(std::string_view message);

}  // namespace decodesim
