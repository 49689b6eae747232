#pragma once
// An explanation, and a comparison of two, for programs.

#include <ostream>
#include <string>

#include "sim/model/comparison.hpp"
#include "sim/model/explanation.hpp"

namespace decodesim {

/// {"schema_version": 1, "scenario", "terms": [{"section", "key", "label", "value", "unit", "source", "formula",
/// "inputs", "context"?, "share"?}], "remarks": [{"key", "text"}]}; keys keep their meaning within a schema version.
void write_explanation_json(std::ostream& out, const std::string& scenario, const Explanation& explanation);

/// {"schema_version": 1, "a", "b", "scope", "ratio", "causes": [{"depth", "key", "label", "a", "b", "unit", "factor"}],
/// "differences": [{"key", "label", "unit", "a", "b", "factor"}]}; what does not exist is null.
void write_comparison_json(std::ostream& out, const std::string& scenario_a, const std::string& scenario_b,
                           const Comparison& comparison);

}  // namespace decodesim
