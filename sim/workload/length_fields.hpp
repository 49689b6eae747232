#pragma once
// The fields of distributions of lengths and durations.

#include "sim/core/field_of.hpp"
#include "sim/workload/length_spec.hpp"

namespace decodesim {

// Fifty years: a run may end a hundred years after its start.
inline constexpr double latest_arrival = 50.0 * 365 * 86'400;  // seconds

inline constexpr std::string_view length_distribution_names[] = {
    "constant", "uniform", "lognormal", "normal", "exponential", "pareto_lognormal", "empirical"};

constexpr bool length_has_mean(const LengthSpec& length) {
  return length.distribution == LengthDistribution::lognormal || length.distribution == LengthDistribution::normal ||
         length.distribution == LengthDistribution::exponential ||
         length.distribution == LengthDistribution::pareto_lognormal;
}
constexpr bool length_has_spread(const LengthSpec& length) {
  return length_has_mean(length) && length.distribution != LengthDistribution::exponential;
}
constexpr bool length_is_normal(const LengthSpec& length) { return length.distribution == LengthDistribution::normal; }
constexpr bool length_is_lognormal(const LengthSpec& length) {
  return length.distribution == LengthDistribution::lognormal ||
         length.distribution == LengthDistribution::pareto_lognormal;
}
constexpr bool length_has_tail(const LengthSpec& length) {
  return length.distribution == LengthDistribution::pareto_lognormal;
}
constexpr bool length_is_empirical(const LengthSpec& length) {
  return length.distribution == LengthDistribution::empirical;
}
inline constexpr Applies to_a_length_with_mean =
    when<&length_has_mean>("distribution is lognormal, normal, exponential or pareto_lognormal", "distribution");
inline constexpr Applies to_a_length_with_spread =
    when<&length_has_spread>("distribution is lognormal, normal or pareto_lognormal", "distribution");
inline constexpr Applies to_normal = when<&length_is_normal>("distribution is normal", "distribution");
inline constexpr Applies to_lognormal =
    when<&length_is_lognormal>("distribution is lognormal or pareto_lognormal", "distribution");
inline constexpr Applies to_a_length_with_tail =
    when<&length_has_tail>("distribution is pareto_lognormal", "distribution");
inline constexpr Applies to_empirical = when<&length_is_empirical>("distribution is empirical", "distribution");
constexpr bool length_needs_ends(const LengthSpec& length) {
  return length.distribution != LengthDistribution::empirical;
}
inline constexpr Applies to_a_length_with_ends =
    when<&length_needs_ends>("distribution is not empirical", "distribution");

/// Of tokens, or of turns.
constexpr auto length_table(Kind kind) {
  const Field fields[] = {
      field<&LengthSpec::distribution>(
          "distribution",
          {.doc = "how the length is drawn", .need = Need::required, .choices = length_distribution_names}),
      count_where_stated<LengthSpec, &LengthSpec::min>(
          "min", kind,
          {.doc = "the shortest: shorter draws are cut to it; absent: 1, but uniform needs it",
           .need = Need::optional,
           .range = from_to(1, longest_request),
           .applies = to_a_length_with_ends}),
      count_where_stated<LengthSpec, &LengthSpec::max>(
          "max", kind,
          {.doc = "the longest: longer draws are cut to it; absent: none is, but uniform needs it",
           .need = Need::optional,
           .range = from_to(1, longest_request),
           .applies = to_a_length_with_ends}),
      field<&LengthSpec::mean>("mean",
                               {.doc = "on average, before min and max cut; of pareto_lognormal without its tail",
                                .need = Need::optional,
                                .range = from_to(1, longest_request),
                                .applies = to_a_length_with_mean}),
      field<&LengthSpec::cv>("cv", {.doc = "standard deviation over mean, before min and max cut",
                                    .need = Need::optional,
                                    .range = from_to(0, 100),
                                    .applies = to_a_length_with_spread}),
      field<&LengthSpec::std_dev>("std_dev", {.doc = "standard deviation before min and max cut, in place of cv",
                                              .need = Need::optional,
                                              .range = from_to(0, longest_request),
                                              .applies = to_normal}),
      field<&LengthSpec::median>("median", {.doc = "half of them are shorter; with p99, in place of mean and cv",
                                            .need = Need::optional,
                                            .range = from_to(1, longest_request),
                                            .applies = to_lognormal}),
      field<&LengthSpec::p99>("p99", {.doc = "99 % of them are shorter; with median, in place of mean and cv",
                                      .need = Need::optional,
                                      .range = from_to(1, longest_request),
                                      .applies = to_lognormal}),
      field<&LengthSpec::tail_share>("tail_share", {.doc = "of the draws that come from the Pareto tail",
                                                    .need = Need::required,
                                                    .kind = Kind::fraction,
                                                    .range = above_to(0, 1),
                                                    .applies = to_a_length_with_tail}),
      field<&LengthSpec::tail_alpha>("tail_alpha", {.doc = "exponent of the tail: x is passed as (tail_min / x)^alpha",
                                                    .need = Need::required,
                                                    .range = from_to(0.1, 100),
                                                    .applies = to_a_length_with_tail}),
      field<&LengthSpec::tail_min>("tail_min", {.doc = "where the tail begins",
                                                .need = Need::required,
                                                .kind = kind,
                                                .range = from_to(1, longest_request),
                                                .applies = to_a_length_with_tail}),
      field<&LengthSpec::file>("file", {.doc = "a trace, from whose column of the same name rows are drawn",
                                        .need = Need::required,
                                        .kind = Kind::path,
                                        .applies = to_empirical}),
  };
  return std::to_array(fields);
}
inline constexpr auto length_fields = length_table(Kind::tokens);
inline constexpr auto turns_fields = length_table(Kind::count);

// A length is a number, or a mapping where it is drawn.
inline Value constant_length(const LengthSpec& length) {
  if (length.distribution != LengthDistribution::constant || !length.stated()) return {};
  return length.min;
}
inline void set_constant_length(LengthSpec& length, const Value& value) {
  length.distribution = LengthDistribution::constant;
  length.min = length.max = std::get<std::int64_t>(value);
}
inline constexpr Field length_shorthand = computed_field<LengthSpec, constant_length, set_constant_length>(
    "tokens", Kind::tokens, {.range = from_to(1, longest_request)});
inline constexpr Field turns_shorthand = computed_field<LengthSpec, constant_length, set_constant_length>(
    "turns", Kind::count, {.range = from_to(1, longest_request)});

inline constexpr std::string_view duration_distribution_names[] = {"constant", "exponential", "lognormal"};
constexpr bool duration_is_lognormal(const DurationSpec& spec) {
  return spec.distribution == DurationDistribution::lognormal;
}
inline constexpr Field duration_fields[] = {
    field<&DurationSpec::distribution>(
        "distribution",
        {.doc = "how the time is drawn", .need = Need::required, .choices = duration_distribution_names}),
    field<&DurationSpec::mean>(
        "mean", {.doc = "on average", .need = Need::required, .range = from_to(0, latest_arrival * 1e9)}),
    field<&DurationSpec::cv>("cv",
                             {.doc = "standard deviation over mean",
                              .need = Need::required,
                              .range = from_to(0, 100),
                              .applies = when<&duration_is_lognormal>("distribution is lognormal", "distribution")}),
};
inline Value constant_duration(const DurationSpec& spec) {
  if (spec.distribution != DurationDistribution::constant || spec.mean == Duration{}) return {};
  return Value(spec.mean.count());
}
inline void set_constant_duration(DurationSpec& spec, const Value& value) {
  spec.distribution = DurationDistribution::constant;
  spec.mean = Duration(std::get<std::int64_t>(value));
}
inline constexpr Field duration_shorthand = computed_field<DurationSpec, constant_duration, set_constant_duration>(
    "time", Kind::duration, {.range = from_to(0, latest_arrival * 1e9)});

}  // namespace decodesim
