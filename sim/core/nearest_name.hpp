#pragma once
// The valid name that a misspelt one probably meant.

#include <optional>
#include <span>
#include <string_view>

namespace decodesim {

/// The name of `names` that takes the fewest edits from `word`: a letter put in, taken out, replaced or swapped with
/// its neighbour; upper and lower case count as equal. Nothing where even the nearest takes more than max(1, a third of
/// the word's letters) edits. The first of equally near names wins.
std::optional<std::string_view> nearest_name(std::string_view word, std::span<const std::string_view> names);

}  // namespace decodesim
