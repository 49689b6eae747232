#pragma once
// The fields of a model's shape, as the catalog and a scenario's `model` write them.

#include "sim/core/field_of.hpp"
#include "sim/model/model_spec.hpp"

namespace decodesim {

// Far above every model there is; products of all of them are still numbers.
inline constexpr double most_parameters = 1e15;
inline constexpr double most_layers = 10'000;
inline constexpr double most_heads = 1e5;  // and values of a head, and experts
inline constexpr double widest_layer = 1e7;
inline constexpr double longest_context = 1e9;

inline constexpr std::string_view latent_cache_names[] = {"compact", "aligned_256_bytes", "no_mla_kernel"};
inline constexpr Field mla_fields[] = {
    field<&MlaSpec::kv_lora_rank>("kv_lora_rank", {.doc = "values of the compressed vector a token and layer",
                                                   .need = Need::required,
                                                   .range = from_to(1, most_heads)}),
    field<&MlaSpec::rope_head_dim>("rope_head_dim", {.doc = "values of the key that carries the position",
                                                     .need = Need::required,
                                                     .range = from_to(0, most_heads)}),
    field<&MlaSpec::cached_as>(
        "cached_as",
        {.doc =
             "what a server keeps of it: the vector; the vector filled up to 256 bytes, as vLLM 0.7.2 aligned it; or, "
             "without a kernel for it, keys and values of all heads",
         .source = DefaultSource::assumed,
         .choices = latent_cache_names}),
};

inline constexpr Field window_fields[] = {
    field<&WindowSpec::size>(
        "size",
        {.doc = "tokens that a windowed layer sees", .need = Need::required, .range = from_to(1, longest_context)}),
    field<&WindowSpec::global_every>("global_every", {.doc = "every n-th layer sees the whole context; 0: none does",
                                                      .need = Need::required,
                                                      .range = from_to(0, most_layers)}),
    field<&WindowSpec::kv_heads>("kv_heads", {.doc = "key and value heads of these layers; 0: as the others have",
                                              .range = from_to(0, most_heads)}),
    field<&WindowSpec::head_dim>("head_dim", {.doc = "values of a head of these layers; 0: as the others have",
                                              .range = from_to(0, most_heads)}),
};

inline constexpr Field linear_fields[] = {
    field<&LinearSpec::full_every>("full_every", {.doc = "every n-th layer is full attention, the others keep a state",
                                                  .need = Need::required,
                                                  .range = from_to(1, most_layers)}),
    field<&LinearSpec::state>(
        "state",
        {.doc = "of a sequence in one such layer, over all ranks", .need = Need::required, .range = from_to(1, 1e12)}),
};

inline constexpr Field moe_fields[] = {
    field<&MoeSpec::experts>(
        "experts", {.doc = "routed experts a layer", .need = Need::required, .range = from_to(1, most_heads)}),
    field<&MoeSpec::active>(
        "active", {.doc = "routed experts that a token uses", .need = Need::required, .range = from_to(1, most_heads)}),
    field<&MoeSpec::shared>(
        "shared",
        {.doc = "experts that every token uses", .source = DefaultSource::spec, .range = from_to(0, most_heads)}),
    field<&MoeSpec::intermediate_size>(
        "intermediate_size",
        {.doc = "inner width of one expert", .need = Need::required, .range = from_to(1, widest_layer)}),
    field<&MoeSpec::dense_layers>("dense_layers", {.doc = "layers at the start without experts",
                                                   .source = DefaultSource::spec,
                                                   .range = from_to(0, most_layers)}),
};

inline constexpr Field sparse_fields[] = {
    field<&SparseSpec::top_k>(
        "top_k", {.doc = "tokens that attention reads", .need = Need::required, .range = from_to(1, longest_context)}),
    field<&SparseSpec::index_heads>("index_heads", {.doc = "query heads of the indexer, which scores all cached tokens",
                                                    .need = Need::required,
                                                    .range = from_to(1, most_heads)}),
    field<&SparseSpec::index_dim>("index_dim", {.doc = "values of its key of a token and layer, in 8 bits",
                                                .need = Need::required,
                                                .range = from_to(1, most_heads)}),
};

inline constexpr Field model_fields[] = {
    field<&ModelSpec::name>("name", {.doc = "as the catalog lists it"}),
    field<&ModelSpec::parameters>(
        "parameters",
        {.doc = "all of them, embeddings included", .need = Need::required, .range = from_to(1, most_parameters)}),
    field<&ModelSpec::active_parameters>("active_parameters", {.doc = "that one token's matrix products touch; 0: all",
                                                               .range = from_to(0, most_parameters)}),
    field<&ModelSpec::layers>("layers",
                              {.doc = "transformer layers", .need = Need::required, .range = from_to(1, most_layers)}),
    field<&ModelSpec::hidden_size>(
        "hidden_size",
        {.doc = "width of the residual stream", .need = Need::required, .range = from_to(1, widest_layer)}),
    field<&ModelSpec::heads>("heads", {.doc = "query heads", .need = Need::required, .range = from_to(1, most_heads)}),
    field<&ModelSpec::kv_heads>("kv_heads",
                                {.doc = "key and value heads: as many as `heads` is MHA, one is MQA, between is GQA",
                                 .need = Need::required,
                                 .range = from_to(1, most_heads)}),
    field<&ModelSpec::head_dim>("head_dim",
                                {.doc = "values of a head", .need = Need::required, .range = from_to(1, most_heads)}),
    field<&ModelSpec::intermediate_size>("intermediate_size", {.doc = "inner width of a dense feed-forward layer",
                                                               .need = Need::required,
                                                               .range = from_to(0, widest_layer)}),
    field<&ModelSpec::vocab_size>(
        "vocab_size", {.doc = "entries of the vocabulary", .need = Need::required, .range = from_to(1, 1e9)}),
    field<&ModelSpec::tied_embeddings>(
        "tied_embeddings", {.doc = "the output layer is the input embedding", .source = DefaultSource::spec}),
    field<&ModelSpec::max_model_len>("max_model_len", {.doc = "most tokens of prompt and output together",
                                                       .need = Need::required,
                                                       .range = from_to(2, longest_context)}),
    record<&ModelSpec::mla>(
        "mla", mla_fields,
        {.doc = "multi-head latent attention: one compressed vector is cached for all heads", .need = Need::optional}),
    record<&ModelSpec::window>("window", window_fields,
                               {.doc = "layers that see, and cache, only the last tokens", .need = Need::optional}),
    record<&ModelSpec::linear>(
        "linear", linear_fields,
        {.doc = "layers that keep a state of fixed size: linear attention, gated delta nets, Mamba",
         .need = Need::optional}),
    field<&ModelSpec::cross_attention_layers>(
        "cross_attention_layers", {.doc = "layers beyond `layers` that look at images; servers give them a cache too",
                                   .range = from_to(0, most_layers)}),
    field<&ModelSpec::draft_layers>(
        "draft_layers",
        {.doc = "layers beyond `layers` of a draft head, which share the cache", .range = from_to(0, most_layers)}),
    record<&ModelSpec::sparse>(
        "sparse", sparse_fields,
        {.doc = "attention reads only the tokens that an indexer finds best", .need = Need::optional}),
    record<&ModelSpec::moe>("moe", moe_fields, {.doc = "a mixture of experts", .need = Need::optional}),
};

}  // namespace decodesim
