#pragma once
// The fields of a GPU and of a node, as the catalog and a scenario's `hardware` write them.

#include "sim/core/field_of.hpp"
#include "sim/hardware/node_spec.hpp"

namespace decodesim {

// What no device leaves for long: within them no price of a step, and no pool, is beyond what can be counted.
inline constexpr Range device_memory = from_to(1e6, 1e14);     // 1 MB to 100 TB
inline constexpr Range device_bandwidth = from_to(1e6, 1e18);  // 1 MB/s to 1000 PB/s
inline constexpr double least_peak = 1e9;                      // 1 GFLOP/s
inline constexpr double largest_peak = 1e21;                   // 1000 EFLOP/s
inline constexpr Range peak_if_any = zero_or(least_peak, largest_peak);
inline constexpr Range traversal_time = from_to(0, 1);  // seconds

inline constexpr Field gpu_memory_fields[] = {
    field<&GpuSpec::memory_reported>(
        "reported", {.doc = "what the driver reports to a server", .need = Need::required, .range = device_memory}),
    field<&GpuSpec::memory_sold>("sold",
                                 {.doc = "what the datasheet sells", .need = Need::required, .range = device_memory}),
};

inline constexpr Field gpu_peak_fields[] = {
    field<&GpuSpec::peak_bf16>(
        "bf16",
        {.doc = "dense peak of 16-bit products", .need = Need::required, .range = from_to(least_peak, largest_peak)}),
    field<&GpuSpec::peak_fp8>(
        "fp8", {.doc = "dense peak of 8-bit float products; absent: no such units", .range = peak_if_any}),
    field<&GpuSpec::peak_int8>(
        "int8", {.doc = "dense peak of 8-bit integer products; absent: no such units", .range = peak_if_any}),
    field<&GpuSpec::peak_fp4>(
        "fp4", {.doc = "dense peak of 4-bit float products; absent: no such units", .range = peak_if_any}),
};

inline constexpr Field gpu_link_fields[] = {
    field<&GpuSpec::link_bandwidth>("bandwidth", {.doc = "all GPU-to-GPU links of one GPU together, per direction",
                                                  .need = Need::required,
                                                  .range = device_bandwidth}),
    field<&GpuSpec::link_latency>("latency", {.doc = "of one traversal of a link; a path through a switch is two",
                                              .need = Need::required,
                                              .range = traversal_time}),
};

inline constexpr Range share_of_peak = above_to(0, 1);

// What holds for most current accelerators stands in where nobody measured, so each is listed as assumed.
inline constexpr Field gpu_sustained_fields[] = {
    field<&SustainedSpec::hbm>("hbm", {.doc = "share of the memory bandwidth that a kernel which only reads reaches",
                                       .source = DefaultSource::assumed,
                                       .kind = Kind::fraction,
                                       .range = share_of_peak}),
    field<&SustainedSpec::bf16>("bf16", {.doc = "share of the 16-bit peak that large matrix products reach",
                                         .source = DefaultSource::assumed,
                                         .kind = Kind::fraction,
                                         .range = share_of_peak}),
    field<&SustainedSpec::fp8>("fp8", {.doc = "the same of the 8-bit peak",
                                       .source = DefaultSource::assumed,
                                       .kind = Kind::fraction,
                                       .range = share_of_peak}),
    field<&SustainedSpec::fp4>("fp4", {.doc = "the same of the 4-bit peak",
                                       .source = DefaultSource::assumed,
                                       .kind = Kind::fraction,
                                       .range = share_of_peak}),
    field<&SustainedSpec::attention>("attention",
                                     {.doc = "share of the 16-bit peak that attention over a long prompt reaches",
                                      .source = DefaultSource::assumed,
                                      .kind = Kind::fraction,
                                      .range = share_of_peak}),
    field<&SustainedSpec::all_reduce>("all_reduce",
                                      {.doc = "a small all-reduce by a kernel of the engine's own, in a CUDA graph",
                                       .source = DefaultSource::assumed,
                                       .range = traversal_time}),
    field<&SustainedSpec::link>("link", {.doc = "share of the links' bandwidth that such a kernel sees",
                                         .source = DefaultSource::assumed,
                                         .kind = Kind::fraction,
                                         .range = share_of_peak}),
    field<&SustainedSpec::library_all_reduce>(
        "library_all_reduce", {.doc = "what an all-reduce of the vendor's library takes besides moving bytes",
                               .source = DefaultSource::assumed,
                               .range = traversal_time}),
    field<&SustainedSpec::library_link>("library_link", {.doc = "share of the links' bandwidth in the library's ring",
                                                         .source = DefaultSource::assumed,
                                                         .kind = Kind::fraction,
                                                         .range = share_of_peak}),
    field<&SustainedSpec::library_reduction>("library_reduction",
                                             {.doc = "share of the links' bandwidth where the switches add",
                                              .source = DefaultSource::assumed,
                                              .kind = Kind::fraction,
                                              .range = share_of_peak}),
    field<&SustainedSpec::launch>("launch", {.doc = "what an all-reduce outside of a CUDA graph waits for its launch",
                                             .source = DefaultSource::assumed,
                                             .range = traversal_time}),
};

inline constexpr Field gpu_fields[] = {
    field<&GpuSpec::name>("name", {.doc = "as the catalog lists it"}),
    group("memory", gpu_memory_fields, {.doc = "capacity of the GPU", .need = Need::required}),
    field<&GpuSpec::hbm_bandwidth>(
        "hbm_bandwidth", {.doc = "peak of the GPU's memory", .need = Need::required, .range = device_bandwidth}),
    group("peak", gpu_peak_fields,
          {.doc = "dense compute peaks by the format of the operands", .need = Need::required}),
    group("link", gpu_link_fields, {.doc = "links between GPUs", .need = Need::required}),
    field<&GpuSpec::multiprocessors>("multiprocessors", {.doc = "that share out the tiles of a matrix product",
                                                         .source = DefaultSource::assumed,
                                                         .range = from_to(1, 100'000)}),
    record<&GpuSpec::sustained>("sustained", gpu_sustained_fields,
                                {.doc = "what software reaches of the figures above, for cost model calibrated"}),
};

inline constexpr Field switch_fields[] = {
    field<&SwitchSpec::name>("name",
                             {.doc = "what links call it; a number behind it picks one", .need = Need::required}),
    field<&SwitchSpec::count>(
        "count", {.doc = "switches of this kind", .source = DefaultSource::spec, .range = from_to(1, 1024)}),
    field<&SwitchSpec::in_network_reduction>(
        "in_network_reduction",
        {.doc = "the switch adds what the GPUs send (NVLink SHARP)", .source = DefaultSource::assumed}),
};

inline constexpr Field link_fields[] = {
    field<&LinkSpec::from>(
        "from", {.doc = "`gpu`, `host`, a switch's name, or a range such as `gpu0-3`", .need = Need::required}),
    field<&LinkSpec::to>("to", {.doc = "the other end, written alike", .need = Need::required}),
    field<&LinkSpec::bandwidth>("bandwidth",
                                {.doc = "per direction; absent: a GPU's link bandwidth over its links of this kind",
                                 .need = Need::optional,
                                 .range = device_bandwidth}),
    field<&LinkSpec::latency>(
        "latency",
        {.doc = "of one traversal; absent: the GPU's link latency", .need = Need::optional, .range = traversal_time}),
};

// Absent where the whole node is taken.
inline Value gpus_installed(const NodeSpec& node) {
  if (node.gpus_installed == 0) return {};
  return static_cast<std::int64_t>(node.gpus_installed);
}
inline void set_gpus_installed(NodeSpec& node, const Value& value) {
  const std::int64_t* count = std::get_if<std::int64_t>(&value);
  node.gpus_installed = count == nullptr ? 0 : static_cast<int>(*count);
}

inline constexpr Field node_fields[] = {
    field<&NodeSpec::name>("name", {.doc = "as the catalog lists it"}),
    record<&NodeSpec::gpu>("gpu", gpu_fields,
                           {.doc = "every GPU of the node: a name, or a mapping with `like: NAME` or all fields",
                            .need = Need::required,
                            .catalog = "gpus",
                            .like = "like",
                            .name_alone = true}),
    field<&NodeSpec::gpus>("gpus", {.doc = "GPUs in the node; with `node: NAME`, how many of it are taken",
                                    .source = DefaultSource::assumed,
                                    .range = from_to(1, 1024)}),
    computed_field<NodeSpec, gpus_installed, set_gpus_installed>(
        "gpus_installed", Kind::count,
        {.doc = "GPUs that the links are wired for, where `gpus` takes a part of them",
         .need = Need::optional,
         .range = from_to(1, 1024)}),
    list<&NodeSpec::switches>("switches", switch_fields, {.doc = "switches between the GPUs"}),
    list<&NodeSpec::links>("links", link_fields,
                           {.doc = "each joins every member of one class with every member of another",
                            .source = DefaultSource::assumed,
                            .default_words = "every two GPUs are joined"}),
};

}  // namespace decodesim
