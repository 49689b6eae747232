#pragma once
// The fields of `scheduler` and `serving`.

#include "sim/core/field_of.hpp"
#include "sim/model/speculative_fields.hpp"
#include "sim/serving/engine_knobs.hpp"
#include "sim/serving/legacy_vllm_fields.hpp"
#include "sim/serving/ordered_fields.hpp"
#include "sim/serving/policy_fields.hpp"
#include "sim/serving/policy_table.hpp"
#include "sim/serving/serving_spec.hpp"
#include "sim/serving/sglang_fields.hpp"
#include "sim/serving/trtllm_fields.hpp"

namespace decodesim {

inline constexpr std::string_view never_fits_names[] = {"reject", "hang", "fail_after"};
inline constexpr std::string_view reservation_names[] = {"blocks", "maximum", "power_of_two", "oracle"};
inline constexpr std::string_view finished_slots_names[] = {"release_on_finish", "hold_until_batch_end"};
inline constexpr std::string_view startup_check_names[] = {"warn", "strict"};
inline constexpr std::string_view prefill_names[] = {"computed", "arrives_computed"};
inline constexpr std::string_view after_preemption_names[] = {"recompute", "refetch"};

// It chooses between two admission tests, so it says nothing where the scenario names one.
inline bool reserve_full_isl_is_read(const SchedulerSpec& scheduler) {
  return engine_reads(scheduler.engine, "reserve_full_isl") && !scheduler.policies.admission;
}

inline bool drop_in_flight_is_read(const SchedulerSpec& scheduler) {
  return engine_reads(scheduler.engine, "drop_in_flight") && scheduler.async;
}
inline bool defer_frees_is_read(const SchedulerSpec& scheduler) {
  return engine_reads(scheduler.engine, "defer_frees") && scheduler.async;
}

// TensorRT-LLM has a name of its own for the same limit.
inline bool max_num_batched_tokens_is_read(const SchedulerSpec& scheduler) {
  const bool renamed = engine_reads(scheduler.engine, "max_num_tokens") && scheduler.trtllm.max_num_tokens;
  return engine_reads(scheduler.engine, "max_num_batched_tokens") && !renamed;
}

inline std::vector<std::string_view> engine_names() {
  std::vector<std::string_view> names;
  for (const EngineRow& row : engine_table()) names.push_back(row.name);
  return names;
}

// `never_fits` is a word, or a mapping where the word needs a number.
inline Value never_fits_word(const SchedulerSpec& scheduler) {
  if (scheduler.never_fits == NeverFits::fail_after) return {};
  return static_cast<std::int64_t>(scheduler.never_fits);
}
inline void set_never_fits(SchedulerSpec& scheduler, const Value& value) {
  scheduler.never_fits = static_cast<NeverFits>(std::get<std::int64_t>(value));
}
inline constexpr std::string_view never_fits_words[] = {"reject", "hang"};
inline constexpr Field never_fits_shorthand = computed_field<SchedulerSpec, never_fits_word, set_never_fits>(
    "never_fits", Kind::choice, {.choices = never_fits_words});
inline constexpr Field never_fits_fields[] = {
    field<&SchedulerSpec::fail_after>("fail_after",
                                      {.doc = "cancel a request that preempted itself so often",
                                       .need = Need::required,
                                       .range = from_to(1, 1e9),
                                       .selects = selects<&SchedulerSpec::never_fits, NeverFits::fail_after>()}),
};

inline constexpr Field common_scheduler_fields[] = {
    field<&SchedulerSpec::engine>(
        "engine",
        {.doc = "the server whose scheduler decides", .source = DefaultSource::assumed, .names = engine_names}),
    field<&SchedulerSpec::max_num_seqs>(
        "max_num_seqs",
        {.doc = "most sequences that run at once",
         .source = DefaultSource::spec,
         .range = from_to(1, 1e7),
         .default_words = "1024 on a GPU that reports at least 70 GiB and is no A100, or without hardware; else 256"}),
    field<&SchedulerSpec::max_num_batched_tokens>(
        "max_num_batched_tokens",
        {.doc = "most tokens that one step computes",
         .source = DefaultSource::spec,
         .kind = Kind::tokens,
         .range = from_to(1, most_tokens_of_a_step),
         .default_words = "8192 on a GPU that reports at least 70 GiB and is no A100, or without hardware; else 2048",
         .applies = when<&max_num_batched_tokens_is_read>("scheduler.engine is one that has it and "
                                                          "scheduler.max_num_tokens is absent",
                                                          "engine")}),
    field<&SchedulerSpec::long_prefill_token_threshold>("long_prefill_token_threshold",
                                                        {.doc = "most tokens of one prompt in a step; 0: no limit",
                                                         .source = DefaultSource::spec,
                                                         .kind = Kind::tokens,
                                                         .range = from_to(0, most_tokens_of_a_step),
                                                         .applies = where_read<"long_prefill_token_threshold">}),
    field<&SchedulerSpec::enable_chunked_prefill>("enable_chunked_prefill",
                                                  {.doc = "a prompt may be computed over several steps",
                                                   .source = DefaultSource::spec,
                                                   .applies = where_read<"enable_chunked_prefill">}),
    field<&SchedulerSpec::reserve_full_isl>(
        "reserve_full_isl",
        {.doc = "admit only where the whole current sequence fits now",
         .source = DefaultSource::spec,
         .applies = when<&reserve_full_isl_is_read>("scheduler.engine is one that has it and scheduler.admission is "
                                                    "absent",
                                                    "admission")}),
    field<&SchedulerSpec::watermark>("watermark",
                                     {.doc = "share of the blocks that admissions leave free while something runs",
                                      .source = DefaultSource::spec,
                                      .kind = Kind::fraction,
                                      .range = from_below(0, 1),
                                      .applies = where_read<"watermark">}),
    field<&SchedulerSpec::async>(
        "async",
        {.doc = "plan the next step while this one runs, before its results are known: what current servers do "
                "by default",
         .source = DefaultSource::assumed,
         .applies = where_read<"async">}),
    record<&SchedulerSpec::speculative>(
        "speculative", speculative_fields,
        {.doc = "speculative decoding: drafts are verified several tokens a step; absent: one token a step",
         .need = Need::optional,
         .applies = where_read<"speculative">}),
    field<&SchedulerSpec::defer_frees>(
        "defer_frees",
        {.doc =
             "blocks are free only when no step in flight can write to them, as in vLLM where KV comes from elsewhere",
         .source = DefaultSource::spec,
         .applies =
             when<&defer_frees_is_read>("scheduler.engine is one that has it and scheduler.async is on", "async")}),
    field<&SchedulerSpec::drop_in_flight>(
        "drop_in_flight",
        {.doc =
             "a victim's token that is still on its way is dropped and computed again, as in vLLM where KV goes on to "
             "others",
         .source = DefaultSource::spec,
         .applies =
             when<&drop_in_flight_is_read>("scheduler.engine is one that has it and scheduler.async is on", "async")}),
    field<&SchedulerSpec::reservation>(
        "reservation",
        {.doc = "what a sequence reserves for its life: blocks for max_model_len, or one contiguous chunk of a buddy "
                "region for max_model_len, for prompt + the power of two above the output, or for exactly both",
         .source = DefaultSource::assumed,
         .choices = reservation_names,
         .applies = where_read<"reservation">}),
    field<&SchedulerSpec::finished_slots>(
        "finished_slots", {.doc = "whether a finished request gives its memory back at once, or holds memory and slot "
                                  "until its batch ends",
                           .source = DefaultSource::assumed,
                           .choices = finished_slots_names,
                           .applies = where_read<"finished_slots">}),
    group(
        "never_fits", never_fits_fields,
        {.doc = "what becomes of a request that needs more than the empty pool: `reject`, `hang`, or `{fail_after: k}`",
         .source = DefaultSource::assumed,
         .default_words = "reject",
         .shorthand = &never_fits_shorthand}),
    field<&SchedulerSpec::max_model_len>("max_model_len",
                                         {.doc = "most tokens of prompt and output together; absent: the model's",
                                          .need = Need::optional,
                                          .kind = Kind::tokens,
                                          .range = from_to(2, most_tokens_of_a_step)}),
    field<&SchedulerSpec::startup_check>(
        "startup_check",
        {.doc = "whether a pool below one max_model_len is a warning or an error", .choices = startup_check_names}),
};

inline constexpr auto scheduler_fields = joined_tables(common_scheduler_fields, policy_fields, ordered_fields,
                                                       trtllm_fields, sglang_fields, vllm_v0_fields, sarathi_fields);

constexpr bool prompts_arrive_computed(const ServingSpec& serving) {
  return serving.prefill == PrefillMode::arrives_computed;
}

inline constexpr Field serving_fields[] = {
    field<&ServingSpec::prefill>("prefill", {.doc = "whether this server computes prompts or finds their KV in place",
                                             .source = DefaultSource::assumed,
                                             .choices = prefill_names}),
    field<&ServingSpec::after_preemption>(
        "after_preemption",
        {.doc = "whether a preempted sequence computes its KV again or has its prompt's brought back",
         .source = DefaultSource::assumed,
         .choices = after_preemption_names,
         .applies = when<&prompts_arrive_computed>("serving.prefill is arrives_computed", "prefill")}),
};

}  // namespace decodesim
