#pragma once
// The cosine of a share of a turn, the same bits on every machine.

namespace decodesim::math {

/// cos(2 pi turns), good to about 15 digits for |turns| below 2^20, by Taylor's series on an eighth of a turn. Taking turns
/// for radians makes the reduction exact.
double cosine_of_turns(double turns);

}  // namespace decodesim::math
