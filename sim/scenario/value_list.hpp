#pragma once
// Several values in one option of the command line.

#include <string>
#include <string_view>
#include <vector>

namespace decodesim {

/// `text` without the blanks around it.
std::string trimmed(std::string_view text);

/// The parts between commas that stand in no brackets and no quotes, trimmed; some may be empty.
std::vector<std::string> split_values(std::string_view text);

}  // namespace decodesim
