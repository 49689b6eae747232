#pragma once
// Which of many measured points are meant: "gpu=h100", "id=IMAX".

#include <string>

#include "sim/study/measured_point.hpp"
#include "sim/study/setups.hpp"

namespace decodesim {

/// One condition on a point.
struct PointFilter {
  std::string column;
  std::string text;
};

/// Reads "column=text". Throws std::invalid_argument with a sentence where there is no such column.
PointFilter parse_point_filter(const std::string& text);

/// Whether a point is meant. Numbers must be equal; texts (id, set-up, model, hardware, engine) must hold the text.
bool fits(const PointFilter& filter, const MeasuredPoint& point, const PointSetup& setup);

}  // namespace decodesim
