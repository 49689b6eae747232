#pragma once
// What a run of a measured point says of what was measured.

#include <span>
#include <string>

#include "sim/study/measured_point.hpp"
#include "sim/study/played_seeds.hpp"
#include "sim/study/variant.hpp"

namespace decodesim {

/// What a run with these metrics, in the order of metric_table(), predicts.
double predicted(std::span<const double> metrics, MeasuredMetric metric);

/// Why a point has no prediction: its variant is no scenario, the run did not come to its end, not every request was
/// served whole, or it has no such metric. Empty where it has one.
std::string objection_to(const MeasuredPoint& point, const Variant& variant, const PlayedSeeds& played);

}  // namespace decodesim
