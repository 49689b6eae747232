#pragma once
// The numbers of a report that variants are compared by.

#include <span>
#include <string_view>

#include "sim/report/report.hpp"

namespace decodesim {

enum class Better { higher, lower, neither };
inline constexpr std::string_view better_names[] = {"higher", "lower", "neither"};

/// One row of a comparison.
struct Metric {
  std::string_view name;   // as in the JSON of a run, where it stands there by itself
  std::string_view label;  // with its unit, for people
  Better better;
  double (*of)(const Report& report);  // not_measured where the run has none
};

/// All metrics, in the order of the table.
std::span<const Metric> metric_table();
/// The metric of this name, or nothing.
const Metric* find_metric(std::string_view name);

}  // namespace decodesim
