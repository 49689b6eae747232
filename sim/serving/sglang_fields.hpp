#pragma once
// The fields of `scheduler` that only SGLang has.

#include "sim/core/field_of.hpp"
#include "sim/serving/serving_spec.hpp"

namespace decodesim {

inline constexpr std::string_view sglang_order_names[] = {"fcfs", "lpm", "dfs-weight", "lof", "random"};
inline constexpr std::string_view sglang_retraction_names[] = {"length", "priority"};
inline constexpr std::string_view sglang_retract_target_names[] = {"next_step", "k_steps"};

constexpr bool engine_is_sglang(const SchedulerSpec& scheduler) { return scheduler.engine == "sglang"; }
inline constexpr Applies to_sglang = when<&engine_is_sglang>("scheduler.engine is sglang", "engine");

constexpr bool sglang_preempts_by_priority(const SchedulerSpec& scheduler) {
  return engine_is_sglang(scheduler) && scheduler.sglang.enable_priority_scheduling;
}

template <auto knob>
constexpr Field sglang_field(std::string_view key, About about) {
  if (about.applies.words.empty()) about.applies = to_sglang;
  about.source = DefaultSource::spec;
  return field_in<&SchedulerSpec::sglang, knob>(key, about);
}

inline constexpr Field sglang_fields[] = {
    sglang_field<&SglangKnobs::disable_radix_cache>("disable_radix_cache",
                                                    {.doc = "forget the KV of prompts and answers that ended"}),
    sglang_field<&SglangKnobs::chunked_prefill_size>(
        "chunked_prefill_size",
        {.doc = "most prompt tokens of a step; longer prompts are computed in chunks; 0: no chunks (-1 there)",
         .range = from_to(0, 1e9)}),
    sglang_field<&SglangKnobs::max_prefill_tokens>("max_prefill_tokens",
                                                   {.doc = "most prompt tokens of a step beyond its first request",
                                                    .kind = Kind::tokens,
                                                    .range = from_to(1, 1e9)}),
    sglang_field<&SglangKnobs::enable_mixed_chunk>(
        "enable_mixed_chunk", {.doc = "a step that computes prompts carries the decoding sequences along"}),
    sglang_field<&SglangKnobs::schedule_policy>(
        "schedule_policy", {.doc = "in which order waiting requests are looked at", .choices = sglang_order_names}),
    sglang_field<&SglangKnobs::schedule_conservativeness>(
        "schedule_conservativeness",
        {.doc = "scales the share of their remaining output that running requests are expected to need",
         .range = from_to(0, 100)}),
    sglang_field<&SglangKnobs::enable_priority_scheduling>(
        "enable_priority_scheduling", {.doc = "urgent requests come first, and take the place of running ones"}),
    sglang_field<&SglangKnobs::priority_scheduling_preemption_threshold>(
        "priority_scheduling_preemption_threshold",
        {.doc = "a request takes the place of one whose priority is further off than this",
         .range = from_to(0, 1e9),
         .applies = when<&sglang_preempts_by_priority>("scheduler.enable_priority_scheduling is true",
                                                       "enable_priority_scheduling")}),
    sglang_field<&SglangKnobs::retraction_policy>(
        "retraction_policy", {.doc = "who goes where the next step does not fit: the fewest generated tokens first, or "
                                     "the least urgent",
                              .choices = sglang_retraction_names}),
    sglang_field<&SglangKnobs::retract_target>(
        "retract_target", {.doc = "until when running requests are taken back: until the next step fits, or "
                                  "retract_decode_steps of them, as older versions had it",
                           .choices = sglang_retract_target_names}),
    sglang_field<&SglangKnobs::retract_decode_steps>(
        "retract_decode_steps",
        {.doc = "steps of those that stay that a retraction makes room for in the cache, and counts into the new ratio",
         .range = from_to(0, 1e6)}),
    sglang_field<&SglangKnobs::clip_max_new_tokens>("clip_max_new_tokens",
                                                    {.doc = "most output tokens of a request that estimates count",
                                                     .kind = Kind::tokens,
                                                     .range = from_to(1, 1e9)}),
    sglang_field<&SglangKnobs::init_new_token_ratio>(
        "init_new_token_ratio", {.doc = "of the remaining output that a running request is first expected to need",
                                 .kind = Kind::fraction,
                                 .range = from_to(0, 1)}),
    sglang_field<&SglangKnobs::min_new_token_ratio_factor>(
        "min_new_token_ratio_factor",
        {.doc = "to which share of its first value the ratio decays", .kind = Kind::fraction, .range = from_to(0, 1)}),
    sglang_field<&SglangKnobs::new_token_ratio_decay_steps>(
        "new_token_ratio_decay_steps", {.doc = "decode steps until then", .range = from_to(1, 1e9)}),
};

}  // namespace decodesim
