#pragma once
// Figures, formulas and sentences of an explanation as text.

#include <string>

#include "sim/model/explanation.hpp"

namespace decodesim {

/// As a formula shows it: 141.10 GB, 82,340, 0.92. Counts have no unit, since the name stands beside them.
std::string figure_text(double value, Unit unit);
/// As a line of its own shows it, with its unit: 82,340 blocks, 75.3 %, 2.6844 GB (2.5 GiB).
std::string value_text(double value, Unit unit);
/// A ratio: 1.879x, and 32x from ten on.
std::string factor_text(double factor);
/// A context length: 4k for 4,096, else the number.
std::string context_text(std::int64_t tokens);
/// The formula with its inputs in place: "141.10 GB weights / 8 tp"; empty for a term that has none.
std::string formula_text(const Term& term);
/// The sentence with its inputs in place.
std::string remark_text(const Remark& remark);

std::string_view source_name(Source source);
/// The verdict's name in JSON: fits, waits, never, beyond_length, beyond_sequences.
std::string_view fit_name(Fit fit);
/// The unit's name in JSON.
std::string_view unit_name(Unit unit);

}  // namespace decodesim
