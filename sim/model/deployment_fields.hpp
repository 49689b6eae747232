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
    field<&ParallelSpec::pp>("pp", {.doc = "pipeline stages of tp ranks each; what fits on them is worked out by "
                                           "`explain`, and `run` plays one stage alone",
                                    .range = from_to(1, 1024)}),
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

inline constexpr std::string_view accounting_names[] = {"vllm", "sglang", "trtllm"};
inline constexpr std::string_view window_blocks_names[] = {"as_full", "apart"};

constexpr bool blocks_are_not_given(const MemorySpec& memory) { return !memory.num_gpu_blocks.has_value(); }
constexpr bool tokens_are_not_given(const MemorySpec& memory) {
  return blocks_are_not_given(memory) && !memory.num_gpu_tokens.has_value();
}
constexpr bool pool_comes_from_the_budget(const MemorySpec& memory) {
  return tokens_are_not_given(memory) && !memory.kv_cache.has_value();
}
constexpr bool overhead_has_parts(const MemorySpec& memory) {
  return pool_comes_from_the_budget(memory) && !memory.runtime_overhead.has_value();
}
constexpr bool activations_count(const MemorySpec& memory) {
  return overhead_has_parts(memory) && memory.accounting != Accounting::sglang;
}
constexpr bool graphs_count(const MemorySpec& memory) {
  return activations_count(memory) && memory.cuda_graphs_in_budget;
}
inline constexpr Applies without_given_blocks =
    when<&blocks_are_not_given>("memory.num_gpu_blocks is not given", "num_gpu_blocks");
inline constexpr Applies without_given_tokens = when<&tokens_are_not_given>(
    "neither memory.num_gpu_blocks nor memory.num_gpu_tokens is given", "num_gpu_blocks num_gpu_tokens");
inline constexpr Applies under_the_budget = when<&pool_comes_from_the_budget>(
    "none of memory.num_gpu_blocks, num_gpu_tokens and kv_cache is given", "num_gpu_blocks num_gpu_tokens kv_cache");
inline constexpr Applies by_parts =
    when<&overhead_has_parts>("the pool comes from the budget, and memory.runtime_overhead is not given",
                              "runtime_overhead num_gpu_blocks num_gpu_tokens kv_cache");

constexpr bool prefixes_are_cached(const MemorySpec& memory) { return memory.prefix_caching; }

// Blocks are counted in 32 bits, of which two values are taken.
inline constexpr double most_blocks = 4'294'967'294;

constexpr bool host_pool_comes_from_bytes(const HostSwapSpec& host) { return !host.blocks.has_value(); }
constexpr bool host_link_comes_from_the_node(const HostLinkSpec& link) { return !link.bandwidth.has_value(); }

inline constexpr Field host_swap_fields[] = {
    field<&HostSwapSpec::capacity>(
        "capacity", {.doc = "host memory for swapped KV, a GPU",
                     .source = DefaultSource::spec,
                     .range = from_to(0, 1e15),
                     .applies = when<&host_pool_comes_from_bytes>("memory.host_swap.blocks is not given", "blocks")}),
    field<&HostSwapSpec::blocks>("blocks", {.doc = "blocks that the host has room for; replaces the capacity",
                                            .need = Need::optional,
                                            .range = from_to(0, most_blocks)}),
};

constexpr bool host_cache_comes_from_bytes(const HostCacheSpec& host) { return !host.chunks.has_value(); }
inline constexpr std::string_view host_write_names[] = {"through", "on_evict"};
inline constexpr std::string_view host_load_names[] = {"sync", "async"};
inline constexpr Field host_cache_fields[] = {
    field<&HostCacheSpec::capacity>(
        "capacity", {.doc = "host memory that keeps KV, a GPU",
                     .need = Need::required,
                     .range = from_to(1, 1e15),
                     .applies = when<&host_cache_comes_from_bytes>("memory.host_cache.chunks is not given", "chunks")}),
    field<&HostCacheSpec::chunks>("chunks", {.doc = "chunks that the host has room for; replaces the capacity",
                                             .need = Need::optional,
                                             .range = from_to(1, most_blocks)}),
    field<&HostCacheSpec::chunk>("chunk",
                                 {.doc = "tokens that are kept and found as one, whole blocks: LMCache's default",
                                  .source = DefaultSource::spec,
                                  .kind = Kind::tokens,
                                  .range = from_to(1, 1 << 20)}),
    field<&HostCacheSpec::write>("write", {.doc = "when KV goes to the host: when a prompt's step computed it, or when "
                                                  "the device hands its block out, which "
                                                  "needs a prefix cache and chunks of one block",
                                           .source = DefaultSource::assumed,
                                           .choices = host_write_names}),
    field<&HostCacheSpec::load>(
        "load",
        {.doc =
             "how KV comes back: the step that admits its request waits for it, or the request waits beside the steps",
         .source = DefaultSource::assumed,
         .choices = host_load_names}),
};

inline constexpr std::string_view host_overlap_names[] = {"none", "step"};
inline constexpr Field host_link_fields[] = {
    field<&HostLinkSpec::bandwidth>(
        "bandwidth", {.doc = "what a GPU's transfers see, per direction; absent: from the node's links to its host",
                      .need = Need::optional,
                      .range = from_to(1e6, 1e18)}),
    field<&HostLinkSpec::efficiency>(
        "efficiency",
        {.doc = "share of a link's bandwidth that transfers see: of PCIe Gen4 x16 about 25 GB/s, of Gen5 about 50",
         .source = DefaultSource::assumed,
         .kind = Kind::fraction,
         .range = above_to(0, 1),
         .applies = when<&host_link_comes_from_the_node>("memory.host_link.bandwidth is not given", "bandwidth")}),
    field<&HostLinkSpec::setup>("setup", {.doc = "of all transfers of a step in one direction",
                                          .source = DefaultSource::assumed,
                                          .range = from_to(0, 1)}),
    field<&HostLinkSpec::per_message>("per_message",
                                      {.doc = "of a contiguous piece: the keys or the values of a block in one layer",
                                       .source = DefaultSource::assumed,
                                       .range = from_to(0, 1)}),
    field<&HostLinkSpec::overlap>(
        "overlap",
        {.doc = "what runs beside a step's transfers: `none`, the step waits for them; `step`, its computing, "
                "and it waits only for what they take longer",
         .source = DefaultSource::assumed,
         .choices = host_overlap_names}),
};

inline constexpr Field memory_fields[] = {
    field<&MemorySpec::capacity>("capacity", {.doc = "a GPU's memory as its driver reports it or as it is sold",
                                              .source = DefaultSource::measured,
                                              .choices = memory_capacity_names,
                                              .applies = under_the_budget}),
    field<&MemorySpec::accounting>(
        "accounting",
        {.doc =
             "whose arithmetic gives the pool: vllm, memory x utilization less weights and overhead; sglang, the same "
             "without activations and graphs; trtllm, utilization x what weights and overhead leave, in blocks rounded "
             "up",
         .source = DefaultSource::spec,
         .choices = accounting_names,
         .applies = under_the_budget}),
    field<&MemorySpec::utilization>("utilization", {.doc = "share of a GPU's memory that the server may use",
                                                    .source = DefaultSource::spec,
                                                    .kind = Kind::fraction,
                                                    .range = above_to(0, 1),
                                                    .applies = under_the_budget}),
    field<&MemorySpec::weights>("weights", {.doc = "of a GPU, as a server's log prints them; absent: from the model",
                                            .need = Need::optional,
                                            .range = from_to(0, 1e14),
                                            .applies = under_the_budget}),
    field<&MemorySpec::runtime_overhead>(
        "runtime_overhead",
        {.doc =
             "a GPU: activation peak, communication buffers and CUDA graphs as one figure, in place of the three below",
         .need = Need::optional,
         .range = from_to(0, 1e14),
         .applies = under_the_budget}),
    field<&MemorySpec::activation_peak>(
        "activation_peak",
        {.doc = "a GPU: what a step of max_num_batched_tokens holds at most, as servers measure it at their start",
         .source = DefaultSource::assumed,
         .range = from_to(0, 1e14),
         .default_words = "from model and batch",
         .applies = when<&activations_count>(
             "the pool comes from the budget of vllm or trtllm, and memory.runtime_overhead is not given",
             "accounting runtime_overhead num_gpu_blocks num_gpu_tokens kv_cache")}),
    field<&MemorySpec::non_torch>(
        "non_torch",
        {.doc = "a GPU: CUDA context and communication buffers, which grow with tp",
         .source = DefaultSource::assumed,
         .range = from_to(0, 1e14),
         .default_words = "100 MiB; where tp is above 1, 300 MiB a rank more over NVLink, 100 MiB more over PCIe",
         .applies = by_parts}),
    field<&MemorySpec::cuda_graphs_in_budget>(
        "cuda_graphs_in_budget",
        {.doc = "CUDA graphs are paid from utilization, as in vLLM from 0.21 on; before, they came on top of it",
         .source = DefaultSource::assumed,
         .applies = when<&activations_count>(
             "the pool comes from the budget of vllm or trtllm, and memory.runtime_overhead is not given",
             "accounting runtime_overhead num_gpu_blocks num_gpu_tokens kv_cache")}),
    field<&MemorySpec::cuda_graphs>(
        "cuda_graphs",
        {.doc = "a GPU: captured CUDA graphs",
         .source = DefaultSource::assumed,
         .range = from_to(0, 1e14),
         .default_words = "20 MiB a layer",
         .applies = when<&graphs_count>("memory.cuda_graphs_in_budget is true, and the pool comes from such a budget",
                                        "cuda_graphs_in_budget accounting runtime_overhead num_gpu_blocks "
                                        "num_gpu_tokens kv_cache")}),
    field<&MemorySpec::kv_cache>("kv_cache",
                                 {.doc = "of a GPU, as a server's log prints what is available; replaces the budget",
                                  .need = Need::optional,
                                  .range = from_to(1, 1e14),
                                  .applies = without_given_tokens}),
    field<&MemorySpec::window_layers>(
        "window_layers",
        {.doc = "blocks of layers with a window: as_full, as many as layers have that see everything; apart, what the "
                "window needs, in groups of layers as vLLM forms them",
         .choices = window_blocks_names,
         .applies = without_given_blocks}),
    field<&MemorySpec::state_slots>(
        "state_slots",
        {.doc =
             "sequences whose states of fixed size lie outside the pool, as SGLang keeps them; absent: in its blocks, "
             "which `run` does not play",
         .need = Need::optional,
         .range = from_to(1, 1e9),
         .applies = without_given_tokens}),
    field<&MemorySpec::block_size>(
        "block_size",
        {.doc = "tokens a block", .source = DefaultSource::spec, .kind = Kind::tokens, .range = from_to(1, 1 << 20)}),
    field<&MemorySpec::prefix_caching>(
        "prefix_caching",
        {.doc = "requests find the KV of full blocks that begin their tokens and are still there; current vLLM does by "
                "default",
         .source = DefaultSource::assumed}),
    field<&MemorySpec::uncached_free_to_front>(
        "uncached_free_to_front",
        {.doc = "freed blocks that nobody can find are reused first, as in vLLM since June 2026; else in their turn",
         .source = DefaultSource::spec,
         .applies = when<&prefixes_are_cached>("memory.prefix_caching is true", "prefix_caching")}),
    field<&MemorySpec::num_gpu_tokens>(
        "num_gpu_tokens",
        {.doc = "tokens of the pool as the server's log prints them, or max_total_tokens; replaces the memory budget",
         .need = Need::optional,
         .range = from_to(1, 1e15),
         .applies = without_given_blocks}),
    field<&MemorySpec::num_gpu_blocks>("num_gpu_blocks",
                                       {.doc = "what the server's log prints; replaces the memory budget",
                                        .need = Need::optional,
                                        .range = from_to(1, most_blocks)}),
    record<&MemorySpec::host_swap>(
        "host_swap", host_swap_fields,
        {.doc = "host memory that a scheduler which swaps moves KV to", .need = Need::optional}),
    record<&MemorySpec::host_cache>(
        "host_cache", host_cache_fields,
        {.doc = "host memory that keeps computed KV, so that requests find what the device has forgotten",
         .need = Need::optional}),
    record<&MemorySpec::host_link>("host_link", host_link_fields,
                                   {.doc = "how fast that goes", .need = Need::optional}),
};

}  // namespace decodesim
