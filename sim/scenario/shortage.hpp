#pragma once
// What becomes of a scenario that memory does not hold.

namespace decodesim {

/// Such a deployment is refused, or loaded with a warning, so that what is missing can be explained.
enum class Shortage { refused, warned };

}  // namespace decodesim
