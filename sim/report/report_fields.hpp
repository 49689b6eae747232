#pragma once
// The fields of `run` and `slo`.

#include <string_view>

#include "sim/core/field_of.hpp"
#include "sim/report/report_spec.hpp"

namespace decodesim {

inline constexpr Field measure_window_fields[] = {
    field<&MeasureWindow::skip_first>("skip_first",
                                      {.doc = "the window opens when this share of the requests has ended",
                                       .source = DefaultSource::assumed,
                                       .kind = Kind::fraction,
                                       .range = from_below(0, 1)}),
    field<&MeasureWindow::skip_last>("skip_last", {.doc = "the window closes before this share of the requests ends",
                                                   .source = DefaultSource::assumed,
                                                   .kind = Kind::fraction,
                                                   .range = from_below(0, 1)}),
};

inline constexpr Field run_fields[] = {
    field<&RunSpec::seed>("seed", {.doc = "of every draw", .source = DefaultSource::assumed}),
    record<&RunSpec::window>("window", measure_window_fields, {.doc = "what rates, means and use are taken over"}),
};

/// A limit on the 99th percentile of a latency.
template <auto member>
constexpr Field p99_limit(std::string_view key, std::string_view doc) {
  return field<member>(key, {.doc = doc, .need = Need::optional, .range = above(0)});
}
inline constexpr std::string_view ttft_p99_doc = "time to first token, 99th percentile";
inline constexpr std::string_view tpot_p99_doc = "time per output token, 99th percentile";
inline constexpr std::string_view e2el_p99_doc = "time from arrival to last token, 99th percentile";

inline constexpr Field class_slo_fields[] = {
    field<&ClassSloSpec::slo_class>("slo_class", {.doc = "whose limits they are", .need = Need::required}),
    p99_limit<&ClassSloSpec::ttft_p99>("ttft_p99", ttft_p99_doc),
    p99_limit<&ClassSloSpec::tpot_p99>("tpot_p99", tpot_p99_doc),
    p99_limit<&ClassSloSpec::e2el_p99>("e2el_p99", e2el_p99_doc),
};

inline constexpr Field slo_fields[] = {
    p99_limit<&SloSpec::ttft_p99>("ttft_p99", ttft_p99_doc),
    p99_limit<&SloSpec::tpot_p99>("tpot_p99", tpot_p99_doc),
    p99_limit<&SloSpec::itl_p99>("itl_p99", "time between two tokens, 99th percentile"),
    p99_limit<&SloSpec::e2el_p99>("e2el_p99", e2el_p99_doc),
    list<&SloSpec::classes>(
        "classes", class_slo_fields,
        {.doc = "SLO classes that have limits of their own, in place of those of all", .need = Need::optional}),
    field<&SloSpec::min_goodput>(
        "min_goodput",
        {.doc =
             "least share of the requests within all limits; who was rejected, given up or timed out is not, and who "
             "was cancelled by its own user is left out",
         .need = Need::optional,
         .kind = Kind::fraction,
         .range = above_to(0, 1)}),
};

}  // namespace decodesim
