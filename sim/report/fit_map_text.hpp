#pragma once
// What fits, as a table for a terminal.

#include <cstddef>
#include <ostream>

#include "sim/model/explanation.hpp"

namespace decodesim {

/// Contexts down, batches across; a cell is the share of the pool that it takes, or a sign that it does not run, explained
/// below. Batches that `width` has no room for are left out, every other one first, and the last two stay.
void write_fit_map(std::ostream& out, const FitMap& map, std::size_t width);

}  // namespace decodesim
