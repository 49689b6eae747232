#pragma once
// The fields of `workload`: a list of requests, a trace or a generator.

#include "sim/core/field_of.hpp"
#include "sim/workload/workload_spec.hpp"

namespace decodesim {

// Beyond this no server has gone, and sums over a million requests still fit 64 bits.
inline constexpr double longest_request = 1e9;

// Fifty years: a run may end a hundred years after its start.
inline constexpr double latest_arrival = 50.0 * 365 * 86'400;  // seconds

inline constexpr Field request_fields[] = {
    field<&Request::id>("id", {.doc = "a name for it; absent: its place in the list, from 0"}),
    field<&Request::arrival>("arrival",
                             {.doc = "since the start of the run", .range = from_to(0, latest_arrival * 1e9)}),
    field<&Request::input_tokens>(
        "input_tokens",
        {.doc = "of the prompt", .need = Need::required, .kind = Kind::tokens, .range = from_to(1, longest_request)}),
    field<&Request::output_tokens>("output_tokens", {.doc = "that it will really generate; no policy sees it",
                                                     .need = Need::required,
                                                     .kind = Kind::tokens,
                                                     .range = from_to(1, longest_request)}),
    field<&Request::max_tokens>("max_tokens", {.doc = "that the client asks for",
                                               .kind = Kind::tokens,
                                               .range = from_to(1, longest_request),
                                               .default_words = "output_tokens"}),
    field<&Request::priority>("priority", {.doc = "smaller is more urgent", .range = from_to(0, 1e9)}),
};

inline constexpr std::string_view length_distribution_names[] = {"constant", "uniform"};

// A length is a number of tokens, or a mapping where it is drawn.
inline Value constant_length(const LengthSpec& length) {
  if (length.distribution != LengthDistribution::constant) return {};
  return length.min;
}
inline void set_constant_length(LengthSpec& length, const Value& value) {
  length.distribution = LengthDistribution::constant;
  length.min = length.max = std::get<std::int64_t>(value);
}
inline constexpr Field length_shorthand = computed_field<LengthSpec, constant_length, set_constant_length>(
    "tokens", Kind::tokens, {.range = from_to(1, longest_request)});
inline constexpr Field length_fields[] = {
    field<&LengthSpec::distribution>(
        "distribution",
        {.doc = "how the length is drawn", .need = Need::required, .choices = length_distribution_names}),
    field<&LengthSpec::min>(
        "min",
        {.doc = "the shortest", .need = Need::required, .kind = Kind::tokens, .range = from_to(1, longest_request)}),
    field<&LengthSpec::max>(
        "max",
        {.doc = "the longest", .need = Need::required, .kind = Kind::tokens, .range = from_to(1, longest_request)}),
};

inline constexpr std::string_view arrival_process_names[] = {"all_at_once", "constant", "poisson"};
constexpr bool arrivals_have_a_rate(const ArrivalSpec& arrival) {
  return arrival.process != ArrivalProcess::all_at_once;
}

inline constexpr Field arrival_fields[] = {
    field<&ArrivalSpec::process>("process", {.doc = "when requests come: all at time zero, evenly, or at random",
                                             .source = DefaultSource::assumed,
                                             .choices = arrival_process_names}),
    field<&ArrivalSpec::request_rate>(
        "request_rate",
        {.doc = "requests a second",
         .need = Need::required,
         .kind = Kind::request_rate,
         .range = from_to(1e-6, 1e9),
         .applies = when<&arrivals_have_a_rate>("workload.arrival.process is constant or poisson", "process")}),
};

constexpr bool workload_is_generated(const WorkloadSpec& workload) { return workload.kind == WorkloadKind::generator; }
constexpr bool workload_is_open(const WorkloadSpec& workload) {
  return workload.kind == WorkloadKind::generator && !workload.max_concurrency.has_value();
}
inline constexpr Applies to_the_generator =
    when<&workload_is_generated>("neither workload.requests nor workload.trace is given", "");

inline constexpr Field workload_fields[] = {
    list<&WorkloadSpec::requests>("requests", request_fields,
                                  {.doc = "every request, one by one",
                                   .need = Need::optional,
                                   .selects = selects<&WorkloadSpec::kind, WorkloadKind::requests>()}),
    field<&WorkloadSpec::trace>("trace",
                                {.doc = "a trace file: decodesim's YAML, or CSV with the columns of the Azure traces",
                                 .need = Need::optional,
                                 .kind = Kind::path,
                                 .selects = selects<&WorkloadSpec::kind, WorkloadKind::trace>()}),
    field<&WorkloadSpec::num_requests>("num_requests", {.doc = "how many the generator makes",
                                                        .need = Need::required,
                                                        .range = from_to(1, 1e9),
                                                        .applies = to_the_generator}),
    field<&WorkloadSpec::max_concurrency>("max_concurrency",
                                          {.doc = "closed loop: so many requests in flight at any time",
                                           .need = Need::optional,
                                           .range = from_to(1, 1e9),
                                           .applies = to_the_generator}),
    record<&WorkloadSpec::arrival>(
        "arrival", arrival_fields,
        {.doc = "open loop: when requests come, whatever the server does",
         .applies = when<&workload_is_open>("the workload is generated and workload.max_concurrency is not given",
                                            "max_concurrency")}),
    record<&WorkloadSpec::input_tokens>("input_tokens", length_fields,
                                        {.doc = "of a prompt: a number, or a distribution",
                                         .need = Need::required,
                                         .applies = to_the_generator,
                                         .shorthand = &length_shorthand}),
    record<&WorkloadSpec::output_tokens>("output_tokens", length_fields,
                                         {.doc = "of an answer: a number, or a distribution",
                                          .need = Need::required,
                                          .applies = to_the_generator,
                                          .shorthand = &length_shorthand}),
};

}  // namespace decodesim
