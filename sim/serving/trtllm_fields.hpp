#pragma once
// The fields of `scheduler` that only TensorRT-LLM's engines read.

#include "sim/core/field_of.hpp"
#include "sim/serving/engine_knobs.hpp"
#include "sim/serving/serving_spec.hpp"

namespace decodesim {

inline constexpr std::string_view chunk_policy_names[] = {"none", "first_come_first_served", "equal_progress",
                                                          "force_chunk"};

constexpr bool cuts_contexts(const SchedulerSpec& scheduler) {
  return scheduler.trtllm.context_chunking_policy != ChunkPolicy::none;
}
inline constexpr Applies where_contexts_are_cut =
    when<&cuts_contexts>("scheduler.context_chunking_policy is not none", "context_chunking_policy");

inline bool reuses_blocks(const SchedulerSpec& scheduler) {
  return engine_reads(scheduler.engine, "enable_block_reuse") && scheduler.trtllm.enable_block_reuse;
}
inline constexpr Applies where_blocks_are_reused =
    when<&reuses_blocks>("scheduler.enable_block_reuse is on", "enable_block_reuse");
inline bool reuses_parts_of_blocks(const SchedulerSpec& scheduler) {
  return reuses_blocks(scheduler) && scheduler.trtllm.enable_partial_reuse;
}
inline constexpr Applies where_partly_matched_are_reused =
    when<&reuses_parts_of_blocks>("scheduler.enable_partial_reuse is on", "enable_partial_reuse");

inline constexpr Field trtllm_fields[] = {
    field_in<&SchedulerSpec::trtllm, &TrtllmKnobs::max_batch_size>(
        "max_batch_size",
        {.doc = "most sequences that get tokens in one step, of those that hold memory; absent: max_num_seqs",
         .need = Need::optional,
         .range = from_to(1, 1e7),
         .applies = where_read<"max_batch_size">}),
    field_in<&SchedulerSpec::trtllm, &TrtllmKnobs::max_num_tokens>(
        "max_num_tokens", {.doc = "most tokens of one step, in place of max_num_batched_tokens",
                           .need = Need::optional,
                           .kind = Kind::tokens,
                           .range = from_to(1, most_tokens_of_a_step),
                           .applies = where_read<"max_num_tokens">,
                           .stands_for = "max_num_batched_tokens"}),
    field_in<&SchedulerSpec::trtllm, &TrtllmKnobs::context_chunking_policy>(
        "context_chunking_policy",
        {.doc = "how prompts that do not fit one step together are cut; `none`: each is computed whole",
         .source = DefaultSource::spec,
         .choices = chunk_policy_names,
         .applies = where_read<"context_chunking_policy">}),
    field_in<&SchedulerSpec::trtllm, &TrtllmKnobs::chunk_unit>(
        "chunk_unit", {.doc = "chunks that are cut are multiples of so many tokens; absent: memory.block_size",
                       .need = Need::optional,
                       .kind = Kind::tokens,
                       .range = from_to(1, most_tokens_of_a_step),
                       .applies = where_contexts_are_cut}),
    field_in<&SchedulerSpec::trtllm, &TrtllmKnobs::max_context_length>("max_context_length",
                                                                       {.doc = "most tokens of one prompt in a step",
                                                                        .need = Need::optional,
                                                                        .kind = Kind::tokens,
                                                                        .range = from_to(1, most_tokens_of_a_step),
                                                                        .applies = where_contexts_are_cut}),
    field_in<&SchedulerSpec::trtllm, &TrtllmKnobs::enable_block_reuse>(
        "enable_block_reuse",
        {.doc = "prompts find each other's blocks again by their tokens, and so does who was paused",
         .source = DefaultSource::spec,
         .applies = where_read<"enable_block_reuse">}),
    field_in<&SchedulerSpec::trtllm, &TrtllmKnobs::enable_partial_reuse>(
        "enable_partial_reuse", {.doc = "the beginning of a block is reused where not all of it matches",
                                 .source = DefaultSource::spec,
                                 .applies = where_blocks_are_reused}),
    field_in<&SchedulerSpec::trtllm, &TrtllmKnobs::copy_on_partial_reuse>(
        "copy_on_partial_reuse",
        {.doc = "a partly matched block that is in use is copied; else only one that nobody needs is reused",
         .source = DefaultSource::spec,
         .applies = where_partly_matched_are_reused}),
    field_in<&SchedulerSpec::trtllm, &TrtllmKnobs::microbatch_reuse_discount>(
        "microbatch_reuse_discount", {.doc = "reused tokens do not count against max_num_tokens; older engines: off",
                                      .source = DefaultSource::spec,
                                      .applies = where_blocks_are_reused}),
};

}  // namespace decodesim
