#pragma once
// The smallest values of many, by rank.

#include <cstddef>
#include <span>
#include <vector>

namespace decodesim {

/// The values that would stand at each of `ranks` (from 0, below the number of values; in any order) if `values` were sorted.
/// No value may be NaN. Takes three passes over the values whatever number of ranks is asked for, keeps a few hundred KB
/// beside them, and leaves them as they are.
std::vector<double> order_statistics(std::span<const double> values, std::span<const std::size_t> ranks);

}  // namespace decodesim
