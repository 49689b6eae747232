#pragma once
// The fields of `cost`: which model prices a step, and the constants of each.

#include "sim/core/field_of.hpp"
#include "sim/model/cost_spec.hpp"
#include "sim/model/efficiency_fields.hpp"

namespace decodesim {

inline constexpr std::string_view cost_kind_names[] = {"fixed", "ideal", "roofline", "calibrated"};
inline constexpr std::string_view all_reduce_names[] = {"cheapest", "one_shot", "two_shot", "ring", "in_network"};

// A day, so that the sum over a run stays on the clock.
inline constexpr double longest_part_of_a_step = 86'400e9;  // ns

constexpr bool cost_is_fixed(const CostSpec& cost) { return cost.model == CostKind::fixed; }
constexpr bool cost_has_operations(const CostSpec& cost) {
  return cost.model == CostKind::roofline || cost.model == CostKind::calibrated;
}
constexpr bool cost_is_calibrated(const CostSpec& cost) { return cost.model == CostKind::calibrated; }
inline constexpr Applies with_operations = when<&cost_has_operations>("cost.model is roofline or calibrated", "model");

inline constexpr Field cost_fields[] = {
    field<&CostSpec::model>(
        "model", {.doc = "`fixed`: a constant; `ideal`: bytes over bandwidth; `roofline`: datasheet peaks and links; "
                         "`calibrated`: what "
                         "component benchmarks sustain, with the least times of kernels and the engine's own",
                  .source = DefaultSource::assumed,
                  .choices = cost_kind_names}),
    field<&CostSpec::step>("step", {.doc = "every pass lasts this long",
                                    .need = Need::required,
                                    .range = above_to(0, longest_part_of_a_step),
                                    .applies = when<&cost_is_fixed>("cost.model is fixed", "model")}),
    field<&CostSpec::all_reduce>("all_reduce", {.doc = "algorithm of the all-reduces, two a layer",
                                                .source = DefaultSource::assumed,
                                                .choices = all_reduce_names,
                                                .applies = with_operations}),
    field<&CostSpec::host_time>("host_time", {.doc = "a step: scheduling, sampling, launches",
                                              .source = DefaultSource::assumed,
                                              .range = from_to(0, longest_part_of_a_step),
                                              .applies = with_operations}),
    field<&CostSpec::host_per_sequence>("host_per_sequence", {.doc = "the same for each sequence of the step",
                                                              .source = DefaultSource::assumed,
                                                              .range = from_to(0, 1e9),
                                                              .applies = with_operations}),
    record<&CostSpec::efficiency>("efficiency", efficiency_fields,
                                  {.doc = "what the engine makes of the GPU",
                                   .applies = when<&cost_is_calibrated>("cost.model is calibrated", "model")}),
};

}  // namespace decodesim
