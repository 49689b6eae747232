#pragma once
// How wide the reader's lines are.

#include <cstddef>

namespace decodesim {

/// Columns of what reads stdout: COLUMNS where it is set, else the terminal's; `otherwise` where there is none.
std::size_t terminal_width(std::size_t otherwise);

}  // namespace decodesim
