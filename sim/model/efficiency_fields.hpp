#pragma once
// The fields of `cost.efficiency`: what an engine makes of a GPU.

#include "sim/core/field_of.hpp"
#include "sim/model/efficiency_spec.hpp"

namespace decodesim {

inline constexpr Range share_of_rate = above_to(0, 1);
inline constexpr Range kernel_time = from_to(0, 1);  // seconds

inline constexpr Field custom_all_reduce_fields[] = {
    field<&CustomAllReduce::bytes_max>(
        "bytes_max", {.doc = "the largest message that kernels of the engine's own add up; the library does all others",
                      .source = DefaultSource::spec,
                      .range = from_to(0, 1e15)}),
    field<&CustomAllReduce::two_shot>(
        "two_shot", {.doc = "the engine has a two-shot kernel beside the one-shot", .source = DefaultSource::spec}),
    field<&CustomAllReduce::message>("message", {.doc = "what these kernels take beyond the GPU's own small all-reduce",
                                                 .source = DefaultSource::measured,
                                                 .range = kernel_time}),
    field<&CustomAllReduce::cuda_graph>(
        "cuda_graph", {.doc = "all-reduces are launched as part of a graph; else each waits for its launch",
                       .source = DefaultSource::spec}),
};

inline constexpr Field efficiency_fields[] = {
    field<&EfficiencySpec::compute>("compute", {.doc = "share of the GPU's sustained products that whole steps reach",
                                                .source = DefaultSource::measured,
                                                .kind = Kind::fraction,
                                                .range = share_of_rate}),
    field<&EfficiencySpec::kv_16bit>(
        "kv_16bit", {.doc = "share of the GPU's sustained bandwidth at which decode attention reads a 16-bit cache",
                     .source = DefaultSource::measured,
                     .kind = Kind::fraction,
                     .range = share_of_rate}),
    field<&EfficiencySpec::kv_8bit>("kv_8bit", {.doc = "the same of a cache in 8 bits or fewer",
                                                .source = DefaultSource::measured,
                                                .kind = Kind::fraction,
                                                .range = share_of_rate}),
    field<&EfficiencySpec::kernel>(
        "kernel", {.doc = "least time of a matrix product", .source = DefaultSource::measured, .range = kernel_time}),
    field<&EfficiencySpec::attention>(
        "attention",
        {.doc = "least time of attention in one layer", .source = DefaultSource::measured, .range = kernel_time}),
    field<&EfficiencySpec::attention_sequence>(
        "attention_sequence", {.doc = "what decode attention takes for each sequence besides, in one layer",
                               .source = DefaultSource::measured,
                               .range = kernel_time}),
    field<&EfficiencySpec::elementwise>("elementwise",
                                        {.doc = "least time of an elementwise kernel, of which a layer has two",
                                         .source = DefaultSource::assumed,
                                         .range = kernel_time}),
    field<&EfficiencySpec::passes>(
        "passes", {.doc = "how often elementwise kernels move a token's hidden state in a layer, on every rank",
                   .source = DefaultSource::assumed,
                   .range = from_to(0, 1000)}),
    field<&EfficiencySpec::step>("step", {.doc = "between the layers of two steps; `async` does not hide it",
                                          .source = DefaultSource::measured,
                                          .range = kernel_time}),
    field<&EfficiencySpec::sequence>("sequence", {.doc = "the same for each sequence that yields a token",
                                                  .source = DefaultSource::measured,
                                                  .range = kernel_time}),
    record<&EfficiencySpec::all_reduce>("all_reduce", custom_all_reduce_fields,
                                        {.doc = "the engine's own all-reduce kernels"}),
};

}  // namespace decodesim
