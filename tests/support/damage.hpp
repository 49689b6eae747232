#pragma once
// Files as a crash, a bad disk or a bad editor leaves them.

#include <random>
#include <string>
#include <string_view>

#include "sim/core/random.hpp"

namespace decodesim::tests {

/// `text` with one to three places changed: up to five bytes gone, or one of `letters` in place of a byte or between two.
std::string damaged(std::string text, std::string_view letters, std::mt19937_64& random);

/// `text` with one to three bytes gone or replaced by one of `letters`.
std::string mutated(std::string text, std::string_view letters, Stream& chance);

}  // namespace decodesim::tests
