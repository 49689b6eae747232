#pragma once
// A value of a scenario that a calibration may change: where it is, what it may be, and how it is written.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/core/field.hpp"
#include "sim/scenario/scenario.hpp"

namespace decodesim {

/// A field of scenarios by its path. Its values are doubles here: nanoseconds, bytes or seconds as the field's kind has them.
struct FittedField {
  std::string path;
  const Field* field = nullptr;

  [[nodiscard]] Kind kind() const { return field->scalar()->kind; }
  [[nodiscard]] const Range& range() const { return field->scalar()->range; }
  /// The value in effect; NaN where the scenario has none.
  [[nodiscard]] double value_in(const Scenario& scenario) const;
  /// As a scenario writes it, exactly.
  [[nodiscard]] std::string text(double value) const;
  /// Entries of the catalog that the field lies behind, each as the path of the key that names it and its name: a file that
  /// states `hardware.gpu.hbm_bandwidth` must say `hardware.gpu.like` too.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> entries_above(const Scenario& scenario) const;
  /// Cut to six significant digits, which is more than any measurement gives.
  [[nodiscard]] double rounded(double value) const;
};

/// The field at a path. Throws std::invalid_argument with a sentence where there is none, or where it is no number that
/// could be a bit larger.
FittedField find_fitted_field(std::string_view path);

}  // namespace decodesim
