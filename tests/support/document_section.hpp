#pragma once
// Parts of a document that a test writes, so that no number in it is typed by hand.

#include <string>

namespace decodesim::tests {

/// Checks that `document` (a path from the project's root) has, between the lines `<!-- name -->` and
/// `<!-- end of name -->`, exactly `text`. With DECODESIM_UPDATE_GOLDEN set it is written there instead.
void check_section(const std::string& document, const std::string& name, const std::string& text);

}  // namespace decodesim::tests
