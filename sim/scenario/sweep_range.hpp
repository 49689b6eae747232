#pragma once
// Evenly spaced values, from a first to a last.

#include <string>
#include <string_view>
#include <vector>

namespace decodesim {

/// The values of a range as texts, or why there are none.
struct SweepRange {
  std::vector<std::string> values;
  std::string problem;  // as a sentence; empty where there are values
  std::string help;
};

/// from, from + step, ... up to `to`, which is among them where a whole number of steps leads to it. Each is a number with or
/// without a unit; all have one unit, which need stand only once ("2", "16", "2 req/s"). The arithmetic is that of decimals as
/// they are written, so that ten steps of 0.1 are 1. More than `most` values are a problem.
SweepRange sweep_range(std::string_view from, std::string_view to, std::string_view step, std::size_t most);

}  // namespace decodesim
