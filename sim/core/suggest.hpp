#pragma once
// The line that helps after a wrong name.

#include <span>
#include <string>
#include <string_view>

namespace decodesim {

/// "did you mean 'memory'? (allowed: gpu, memory)", or only the list where no allowed name is near, or only the question
/// where there are more than a dozen names.
std::string suggestion(std::string_view word, std::span<const std::string_view> allowed);

}  // namespace decodesim
