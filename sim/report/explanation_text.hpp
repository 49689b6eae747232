#pragma once
// An explanation, and a comparison of two, for people.

#include <cstddef>
#include <ostream>
#include <string>

#include "sim/model/comparison.hpp"
#include "sim/model/explanation.hpp"

namespace decodesim {

/// What is explained, for the heading: a scenario's name and one line on what it runs.
struct ExplanationTitle {
  std::string scenario;
  std::string deployment;
};

/// Columns of a line where nobody says how many there are.
inline constexpr std::size_t default_line_width = 120;

/// Sections of aligned lines: label, value with its unit, source, the share as a bar, and the formula with its inputs
/// in place; a table of the contexts; the remarks; and the gap between contexts, if it was asked about. No line is
/// longer than `width`, as far as words allow and from 64 on: a formula that does not fit stands on lines of its own.
void write_explanation_text(std::ostream& out, const ExplanationTitle& title, const Explanation& explanation,
                            std::size_t width = default_line_width);

/// What is compared, the factors behind the ratio of tokens/s, then every term that differs. Widths as above.
void write_comparison_text(std::ostream& out, const ExplanationTitle& a, const ExplanationTitle& b,
                           const Comparison& comparison, std::size_t width = default_line_width);

}  // namespace decodesim
