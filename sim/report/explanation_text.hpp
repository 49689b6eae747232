#pragma once
// An explanation, and a comparison of two, for people.

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

/// Sections of aligned lines: label, value with its unit, source, the share as a bar, and the formula with its inputs
/// in place; then a table of the contexts, and the remarks.
void write_explanation_text(std::ostream& out, const ExplanationTitle& title, const Explanation& explanation);

/// The factors behind the ratio of tokens/s, then every term that differs.
void write_comparison_text(std::ostream& out, const ExplanationTitle& a, const ExplanationTitle& b,
                           const Comparison& comparison);

}  // namespace decodesim
