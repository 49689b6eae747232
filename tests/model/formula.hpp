#pragma once
// Works out the formulas of an explanation from their text alone.

#include <string>
#include <vector>

#include "sim/model/explanation.hpp"

namespace decodesim::tests {

/// The value of `formula` with these inputs: numbers, names, + - x /, parentheses, floor, ceil and min. Throws
/// std::runtime_error where the text is anything else or names something that is no input.
double evaluate(const std::string& formula, const std::vector<Figure>& inputs);

}  // namespace decodesim::tests
