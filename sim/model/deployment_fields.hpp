#pragma once
// The fields of `parallel`, `precision` and `memory`.

#include "sim/core/field_of.hpp"
#include "sim/model/deployment_spec.hpp"

namespace decodesim {

inline constexpr Field parallel_fields[] = {
    field<&ParallelSpec::tp>("tp", {.doc = "tensor-parallel ranks",
                                    .source = DefaultSource::assumed,
                                    .range = from_to(1, 1024),
                                    .default_words = "all GPUs"}),
};

inline constexpr Field precision_fields[] = {
    field<&PrecisionSpec::weights>(
        "weights",
        {.doc = "number format of the weights", .source = DefaultSource::assumed, .choices = precision_names}),
    field<&PrecisionSpec::kv_cache>(
        "kv_cache",
        {.doc = "number format of the KV cache", .source = DefaultSource::assumed, .choices = precision_names}),
};

inline constexpr std::string_view memory_capacity_names[] = {"as_reported", "as_sold"};

constexpr bool pool_comes_from_the_budget(const MemorySpec& memory) { return !memory.num_gpu_blocks.has_value(); }
inline constexpr Applies under_the_budget =
    when<&pool_comes_from_the_budget>("memory.num_gpu_blocks is not given", "num_gpu_blocks");

// Blocks are counted in 32 bits, of which two values are taken.
inline constexpr double most_blocks = 4'294'967'294;

inline constexpr Field memory_fields[] = {
    field<&MemorySpec::capacity>("capacity", {.doc = "a GPU's memory as its driver reports it or as it is sold",
                                              .source = DefaultSource::measured,
                                              .choices = memory_capacity_names,
                                              .applies = under_the_budget}),
    field<&MemorySpec::utilization>("utilization", {.doc = "share of a GPU's memory that the server may use",
                                                    .source = DefaultSource::spec,
                                                    .kind = Kind::fraction,
                                                    .range = above_to(0, 1),
                                                    .applies = under_the_budget}),
    field<&MemorySpec::runtime_overhead>("runtime_overhead",
                                         {.doc = "a GPU: activation peak, communication buffers, CUDA graphs",
                                          .source = DefaultSource::assumed,
                                          .range = from_to(0, 1e14),
                                          .applies = under_the_budget}),
    field<&MemorySpec::block_size>(
        "block_size",
        {.doc = "tokens a block", .source = DefaultSource::spec, .kind = Kind::tokens, .range = from_to(1, 1 << 20)}),
    field<&MemorySpec::num_gpu_blocks>("num_gpu_blocks",
                                       {.doc = "what the server's log prints; replaces the memory budget",
                                        .need = Need::optional,
                                        .range = from_to(1, most_blocks)}),
};

}  // namespace decodesim
