#pragma once
// The fields of `scheduler` that only vLLM V0 and Sarathi-Serve read.

#include "sim/core/field_of.hpp"
#include "sim/serving/engine_knobs.hpp"

namespace decodesim {

// Where a fate is chosen the mode says nothing.
inline bool preemption_mode_is_read(const SchedulerSpec& scheduler) {
  return engine_reads(scheduler.engine, "preemption_mode") && !scheduler.policies.kv_fate;
}
inline bool chunk_size_is_read(const SchedulerSpec& scheduler) {
  return engine_reads(scheduler.engine, "chunk_size") && scheduler.sarathi.chunk_schedule == ChunkSchedule::fixed;
}
inline bool chunk_stages_are_read(const SchedulerSpec& scheduler) {
  return engine_reads(scheduler.engine, "chunk_size") && scheduler.sarathi.chunk_schedule == ChunkSchedule::linear;
}
inline constexpr Applies where_chunks_shrink =
    when<&chunk_stages_are_read>("scheduler.chunk_schedule is linear", "chunk_schedule");

inline constexpr Field vllm_v0_fields[] = {
    field_in<&SchedulerSpec::vllm_v0, &VllmV0Knobs::preemption_mode>(
        "preemption_mode", {.doc = "whether a victim computes its KV again or has it moved to the host",
                            .source = DefaultSource::spec,
                            .choices = preemption_mode_names,
                            .applies = when<&preemption_mode_is_read>(
                                "scheduler.engine is one that has it and scheduler.kv_fate is absent", "kv_fate")}),
    field_in<&SchedulerSpec::vllm_v0, &VllmV0Knobs::append_check>(
        "append_check", {.doc = "`heuristic`: who decodes needs a free block in every step; `exact`: where its token "
                                "starts one",
                         .source = DefaultSource::spec,
                         .choices = append_check_names,
                         .applies = where_read<"append_check">}),
    field_in<&SchedulerSpec::vllm_v0, &VllmV0Knobs::delay_factor>(
        "delay_factor",
        {.doc = "prompts wait until the oldest has waited so many times the last step of prompts, while something runs",
         .source = DefaultSource::spec,
         .range = from_to(0, 1e6),
         .applies = where_read<"delay_factor">}),
};

inline constexpr Field sarathi_fields[] = {
    field_in<&SchedulerSpec::sarathi, &SarathiKnobs::batching>(
        "batching",
        {.doc = "`stall_free`: who decodes gets a token in every step, beside chunks of prompts; `in_turn`: "
                "steps of chunks and steps of tokens alternate",
         .source = DefaultSource::spec,
         .choices = sarathi_batching_names,
         .applies = where_read<"chunk_size">}),
    field_in<&SchedulerSpec::sarathi, &SarathiKnobs::chunk_size>(
        "chunk_size", {.doc = "most tokens of a step, decoding sequences counted, which alone may pass it",
                       .source = DefaultSource::spec,
                       .kind = Kind::tokens,
                       .range = from_to(1, most_tokens_of_a_step),
                       .applies = when<&chunk_size_is_read>(
                           "scheduler.engine is one that has it and chunk_schedule is fixed", "chunk_schedule")}),
    field_in<&SchedulerSpec::sarathi, &SarathiKnobs::chunk_schedule>(
        "chunk_schedule", {.doc = "`linear`: the chunk shrinks in stages while a prompt proceeds",
                           .source = DefaultSource::spec,
                           .choices = chunk_schedule_names,
                           .applies = where_read<"chunk_size">}),
    field_in<&SchedulerSpec::sarathi, &SarathiKnobs::chunk_size_high>("chunk_size_high",
                                                                      {.doc = "chunk at the start of a prompt",
                                                                       .source = DefaultSource::assumed,
                                                                       .kind = Kind::tokens,
                                                                       .range = from_to(1, most_tokens_of_a_step),
                                                                       .applies = where_chunks_shrink}),
    field_in<&SchedulerSpec::sarathi, &SarathiKnobs::chunk_size_low>("chunk_size_low",
                                                                     {.doc = "chunk in the last stage",
                                                                      .source = DefaultSource::assumed,
                                                                      .kind = Kind::tokens,
                                                                      .range = from_to(1, most_tokens_of_a_step),
                                                                      .applies = where_chunks_shrink}),
    field_in<&SchedulerSpec::sarathi, &SarathiKnobs::chunk_schedule_tokens>(
        "chunk_schedule_tokens", {.doc = "tokens of a prompt over which the stages are spread evenly",
                                  .source = DefaultSource::assumed,
                                  .kind = Kind::tokens,
                                  .range = from_to(1, most_tokens_of_a_step),
                                  .applies = where_chunks_shrink}),
    field_in<&SchedulerSpec::sarathi, &SarathiKnobs::chunk_schedule_stages>(
        "chunk_schedule_stages", {.doc = "stages from the high to the low chunk",
                                  .source = DefaultSource::assumed,
                                  .range = from_to(1, 1 << 20),
                                  .applies = where_chunks_shrink}),
};

}  // namespace decodesim
