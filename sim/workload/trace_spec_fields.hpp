#pragma once
// The fields of `workload.trace`.

#include "sim/core/field_of.hpp"
#include "sim/workload/traces/trace_spec.hpp"

namespace decodesim {

inline constexpr std::string_view trace_format_names[] = {
    "told",     "decodesim", "csv",           "azure",  "mooncake", "burstgpt", "qwen-bailian",
    "servegen", "vidur",     "splitwise-sim", "aibrix", "aiperf",   "blis",     "vllm-bench"};
inline constexpr std::string_view time_unit_names[] = {"ns", "us", "ms", "s"};
inline constexpr std::string_view row_policy_names[] = {"reject", "clip", "drop", "keep"};
inline constexpr std::string_view mended_row_policy_names[] = {"reject", "clip", "drop"};
inline constexpr std::string_view backward_policy_names[] = {"reject", "drop", "sort", "segment"};
inline constexpr std::string_view spread_policy_names[] = {"none", "uniform"};

constexpr bool trace_is_declared_csv(const TraceSpec& trace) { return trace.format == TraceFormat::csv; }
constexpr bool trace_may_have_hash_ids(const TraceSpec& trace) {
  switch (trace.format) {
    case TraceFormat::told:
    case TraceFormat::decodesim:
    case TraceFormat::mooncake:
    case TraceFormat::qwen_bailian:
    case TraceFormat::aiperf:
      return true;
    default:
      return false;
  }
}
inline constexpr Applies where_hash_ids_are = when<&trace_may_have_hash_ids>(
    "format is told, decodesim, mooncake, qwen-bailian or aiperf, whose rows may have hash ids", "format");
constexpr bool trace_leaves_unit_open(const TraceSpec& trace) {
  return trace.format != TraceFormat::decodesim && trace.format != TraceFormat::azure;
}
constexpr bool trace_has_two_files(const TraceSpec& trace) { return trace.format == TraceFormat::servegen; }

// A trace is the name of its file, or a mapping where more is said.
inline Value trace_file_alone(const TraceSpec& trace) {
  TraceSpec plain;
  plain.file = trace.file;
  if (trace.file.empty() || trace != plain) return {};
  return trace.file;
}
inline void set_trace_file(TraceSpec& trace, const Value& value) { trace.file = std::get<std::string>(value); }
inline constexpr Field trace_shorthand =
    computed_field<TraceSpec, trace_file_alone, set_trace_file>("file", Kind::path, {});

inline constexpr Field trace_columns_fields[] = {
    field<&TraceColumnsSpec::arrival>("arrival", {.doc = "when a request comes, a number of time_unit"}),
    field<&TraceColumnsSpec::timestamp>("timestamp", {.doc = "when it comes, as a date and a time of day"}),
    field<&TraceColumnsSpec::input_tokens>("input_tokens", {.doc = "tokens of its prompt", .need = Need::required}),
    field<&TraceColumnsSpec::output_tokens>("output_tokens", {.doc = "tokens of its answer", .need = Need::required}),
    field<&TraceColumnsSpec::max_tokens>("max_tokens", {.doc = "tokens that its client asks for"}),
    field<&TraceColumnsSpec::id>("id", {.doc = "its name"}),
    field<&TraceColumnsSpec::priority>("priority", {.doc = "a whole number; smaller is more urgent"}),
    field<&TraceColumnsSpec::tenant>("tenant", {.doc = "whose it is"}),
    field<&TraceColumnsSpec::slo_class>("slo_class", {.doc = "what reports group it under"}),
    field<&TraceColumnsSpec::session>("session", {.doc = "the talk that it is a turn of, in the order of the rows"}),
    field<&TraceColumnsSpec::think_time>("think_time", {.doc = "from the answer before it, a number of time_unit"}),
};

inline constexpr Field trace_fields[] = {
    field<&TraceSpec::file>("file", {.doc = "the trace, plain or gzip", .need = Need::required, .kind = Kind::path}),
    field<&TraceSpec::format>("format", {.doc = "whose format it is; told: by the head of the file, which tells "
                                                "decodesim's own, Azure's and Mooncake's",
                                         .choices = trace_format_names}),
    field<&TraceSpec::second_file>("dataset", {.doc = "ServeGen's second file, of lengths",
                                               .need = Need::required,
                                               .kind = Kind::path,
                                               .applies = when<&trace_has_two_files>("format is servegen", "format")}),
    field<&TraceSpec::time_unit>("time_unit", {.doc = "of the times of its rows; absent: its format's",
                                               .need = Need::optional,
                                               .choices = time_unit_names,
                                               .applies = when<&trace_leaves_unit_open>(
                                                   "format is neither decodesim nor azure, which state it", "format")}),
    field<&TraceSpec::block_size>("block_size", {.doc = "tokens behind each of its hash ids; absent: its format's",
                                                 .need = Need::optional,
                                                 .kind = Kind::tokens,
                                                 .range = from_to(1, 1e9),
                                                 .applies = where_hash_ids_are}),
    record<&TraceSpec::columns>("columns", trace_columns_fields,
                                {.doc = "which column of a CSV file is what",
                                 .need = Need::required,
                                 .applies = when<&trace_is_declared_csv>("format is csv", "format")}),
    field<&TraceSpec::zero_input>("zero_input", {.doc = "rows without input tokens: refuse the file, make it 1, leave "
                                                        "them out",
                                                 .choices = mended_row_policy_names}),
    field<&TraceSpec::zero_output>("zero_output",
                                   {.doc = "rows without output tokens, or whose call failed; absent: reject, and drop "
                                           "where the format tells failed calls (burstgpt, blis, vllm-bench)",
                                    .need = Need::optional,
                                    .choices = mended_row_policy_names}),
    field<&TraceSpec::over_context>(
        "over_context",
        {.doc = "rows whose prompt and answer are longer than the server's context; keep: the server cuts or "
                "rejects them",
         .choices = row_policy_names}),
    field<&TraceSpec::wrong_id_count>("wrong_id_count",
                                      {.doc = "rows whose hash ids are not as many as their prompt has blocks; clip: "
                                              "surplus ids go, and what has none is the prompt's own",
                                       .choices = mended_row_policy_names,
                                       .applies = where_hash_ids_are}),
    field<&TraceSpec::backward_time>("backward_time",
                                     {.doc = "rows earlier than the row before; segment: a new recording "
                                             "begins where the one before ended",
                                      .choices = backward_policy_names}),
    field<&TraceSpec::spread>("spread",
                              {.doc = "rows of one and the same time; uniform: at random before the next time, in "
                                      "their order",
                               .choices = spread_policy_names}),
    field<&TraceSpec::start>("start", {.doc = "leaves out what comes before, and makes it time zero",
                                       .range = from_to(0, 50.0 * 365 * 86'400 * 1e9)}),
    field<&TraceSpec::duration>("duration", {.doc = "leaves out what comes that long after start",
                                             .need = Need::optional,
                                             .range = from_to(1, 50.0 * 365 * 86'400 * 1e9)}),
    field<&TraceSpec::max_requests>(
        "max_requests",
        {.doc = "leaves out what comes after so many", .need = Need::optional, .range = from_to(1, 1e12)}),
    field<&TraceSpec::time_scale>(
        "time_scale", {.doc = "multiplies the gaps between requests, and think times", .range = from_to(1e-9, 1e9)}),
    field<&TraceSpec::rate_scale>(
        "rate_scale", {.doc = "divides them as well: 2 is twice the rate; of servegen it multiplies the rates alone",
                       .range = from_to(1e-9, 1e9)}),
};

}  // namespace decodesim
