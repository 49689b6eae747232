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
                           .applies = where_read<"max_num_tokens">}),
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
};

}  // namespace decodesim
