#pragma once
// The fields of `arrival`: processes, and rates over time.

#include "sim/core/field_of.hpp"
#include "sim/workload/arrival_spec.hpp"
#include "sim/workload/length_fields.hpp"

namespace decodesim {

inline constexpr std::string_view arrival_process_names[] = {"all_at_once", "constant", "poisson",
                                                             "gamma",       "weibull",  "on_off"};
inline constexpr std::string_view phase_length_names[] = {"exponential", "constant"};

constexpr bool arrivals_take_a_rate_over_time(const ArrivalSpec& arrival) {
  return arrival.process != ArrivalProcess::all_at_once && arrival.process != ArrivalProcess::on_off;
}
inline bool arrivals_have_one_rate(const ArrivalSpec& arrival) {
  return arrival.process != ArrivalProcess::all_at_once && arrival.stages.empty();
}
inline bool arrivals_have_stages(const ArrivalSpec& arrival) { return !arrival.stages.empty(); }
inline bool arrivals_may_be_diurnal(const ArrivalSpec& arrival) {
  return arrivals_take_a_rate_over_time(arrival) && arrival.stages.empty();
}
constexpr bool gaps_have_a_cv(const ArrivalSpec& arrival) {
  return arrival.process == ArrivalProcess::gamma || arrival.process == ArrivalProcess::weibull;
}
constexpr bool gaps_are_gamma(const ArrivalSpec& arrival) { return arrival.process == ArrivalProcess::gamma; }
constexpr bool arrivals_burst(const ArrivalSpec& arrival) { return arrival.process == ArrivalProcess::on_off; }
inline constexpr Applies to_bursts = when<&arrivals_burst>("process is on_off", "process");

// Requests a second beyond which no gap is left between nanoseconds.
inline constexpr double highest_rate = 1e9;

inline constexpr Field stage_fields[] = {
    field<&RateStage::rate>("rate", {.doc = "requests a second in this stage, or at its beginning",
                                     .need = Need::required,
                                     .kind = Kind::request_rate,
                                     .range = from_to(0, highest_rate)}),
    field<&RateStage::rate_end>("rate_end", {.doc = "where the rate goes evenly, by the end of the stage",
                                             .need = Need::optional,
                                             .kind = Kind::request_rate,
                                             .range = from_to(0, highest_rate)}),
    field<&RateStage::duration>(
        "duration", {.doc = "of the stage", .need = Need::required, .range = from_to(1e3, latest_arrival * 1e9)}),
};

inline constexpr Field diurnal_fields[] = {
    field<&DiurnalSpec::amplitude>("amplitude", {.doc = "of the wave about request_rate, as a share of it",
                                                 .need = Need::required,
                                                 .kind = Kind::fraction,
                                                 .range = from_to(0, 1)}),
    field<&DiurnalSpec::period>("period", {.doc = "of the wave, which begins upwards from the mean",
                                           .need = Need::required,
                                           .range = from_to(1e3, latest_arrival * 1e9)}),
};

inline constexpr Field arrival_fields[] = {
    field<&ArrivalSpec::process>(
        "process",
        {.doc = "when requests come: all at time zero, evenly, at random with gaps of some kind, or in bursts",
         .source = DefaultSource::assumed,
         .choices = arrival_process_names}),
    field<&ArrivalSpec::request_rate>(
        "request_rate", {.doc = "requests a second: on average, or of on_off within a burst",
                         .need = Need::required,
                         .kind = Kind::request_rate,
                         .range = from_to(1e-6, highest_rate),
                         .applies = when<&arrivals_have_one_rate>(
                             "workload.arrival.process has a rate, and no stages state it", "process stages")}),
    field<&ArrivalSpec::cv>("cv",
                            {.doc = "standard deviation of the gaps over their mean; 1 is poisson, more is bursty",
                             .need = Need::optional,
                             .range = from_to(0.01, 20),
                             .applies = when<&gaps_have_a_cv>("process is gamma or weibull", "process")}),
    field<&ArrivalSpec::burstiness>("burstiness", {.doc = "shape of the gaps, 1 / cv^2, in place of cv; less is bursty",
                                                   .need = Need::optional,
                                                   .range = from_to(0.0025, 10'000),
                                                   .applies = when<&gaps_are_gamma>("process is gamma", "process"),
                                                   .stands_for = "cv"}),
    field<&ArrivalSpec::on>("on", {.doc = "how long a burst lasts; the first begins at time zero",
                                   .need = Need::required,
                                   .range = from_to(1e3, latest_arrival * 1e9),
                                   .applies = to_bursts}),
    field<&ArrivalSpec::off>("off", {.doc = "how long nobody asks after a burst",
                                     .need = Need::required,
                                     .range = from_to(0, latest_arrival * 1e9),
                                     .applies = to_bursts}),
    field<&ArrivalSpec::phases>("phases", {.doc = "on and off are means of exponential times, or are always the same",
                                           .source = DefaultSource::assumed,
                                           .choices = phase_length_names,
                                           .applies = to_bursts}),
    list<&ArrivalSpec::stages>("stages", stage_fields,
                               {.doc = "a rate over time, stage by stage, in place of request_rate",
                                .need = Need::optional,
                                .applies = when<&arrivals_take_a_rate_over_time>(
                                    "process is constant, poisson, gamma or weibull", "process")}),
    field<&ArrivalSpec::repeat>("repeat", {.doc = "begin again after the last stage; else nobody asks any more",
                                           .source = DefaultSource::assumed,
                                           .applies = when<&arrivals_have_stages>("stages are given", "stages")}),
    record<&ArrivalSpec::diurnal>(
        "diurnal", diurnal_fields,
        {.doc = "a rate that goes up and down as a sine wave",
         .need = Need::optional,
         .applies = when<&arrivals_may_be_diurnal>(
             "process is constant, poisson, gamma or weibull, and there are no stages", "process stages")}),
};

}  // namespace decodesim
