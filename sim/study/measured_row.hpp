#pragma once
// One row of a table of measurements, cell by cell.

#include <string>
#include <string_view>

#include "sim/study/measured_columns.hpp"
#include "sim/study/measured_point.hpp"
#include "sim/study/setups.hpp"

namespace decodesim {

/// What rows are read with.
struct RowReading {
  const MeasuredLayout& layout;
  const Setups& setups;
  Reading& reading;
  Locator& locator;
};

/// The point that a row tells of, with the values it has. Mistakes go to the reading, at their cells: a number that is
/// none, a name that the catalog does not have, a load that cannot be played. `start` is where the line begins.
MeasuredPoint read_measured_row(const RowReading& with, const TraceFields& fields, std::size_t start);

}  // namespace decodesim
