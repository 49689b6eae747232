#pragma once
// Operations and activation bytes of a step's parts, from a model's shape.

#include "sim/core/quantity.hpp"
#include "sim/model/model_spec.hpp"
#include "sim/model/step_shape.hpp"

namespace decodesim {

/// Activations are kept in bf16, whatever the weights.
inline constexpr double activation_bytes_per_value = 2;

/// A token's products with the weights of all layers: a multiplication and an addition a parameter.
Flops linear_flops_per_token(const ModelSpec& model);
/// The output layer, for one sequence that yields a token.
Flops lm_head_flops_per_sample(const ModelSpec& model);
/// One query token against one cached token in all layers: scores and weighted values, 4 x layers x heads x head_dim.
/// Every layer counts as full attention over separate heads.
Flops attention_flops_per_pair(const ModelSpec& model);
/// How latent attention is computed: by each head on the latent itself, which reads little, or on keys and values that are
/// expanded from it first, which computes little. Other attention has one form.
enum class AttentionForm { absorbed, expanded };
/// The same in a form: a latent of kv_lora_rank values is scored with its rotary key and summed up again, 2 x heads x
/// (2 kv_lora_rank + rope_head_dim) absorbed and 2 x heads x (2 head_dim + rope_head_dim) expanded. This is one layer.
Flops layer_flops_per_pair(const ModelSpec& model, AttentionForm form);
/// The same in one layer with a window, whose heads may be its own.
Flops window_flops_per_pair(const ModelSpec& model);
/// The indexer's part in one layer: a product with every cached token's key for each of its heads, 2 x index_heads x
/// index_dim.
Flops index_flops_per_pair(const ModelSpec& model);

/// The most tokens that layers which do not see everything see: a window's size, or the best that an indexer finds.
/// StepShape::unclipped where all layers see everything.
std::int64_t attention_clip(const ModelSpec& model);

/// What the products of one token read and write besides weights, in all layers and over all of `tp` ranks: queries,
/// keys, values, attention's result and the feed-forward's middle, which the ranks share, and each product's
/// hidden-sized input or output, which every rank has whole. Elementwise steps are taken as fused into the products.
Bytes activation_bytes_per_token(const ModelSpec& model, int tp);
/// The same for one row of the output layer.
Bytes lm_head_activation_bytes(const ModelSpec& model, int tp);

/// What each rank adds up with the others after attention and again after the feed-forward, for one token.
Bytes all_reduce_bytes_per_token(const ModelSpec& model);
inline constexpr int all_reduces_per_layer = 2;

}  // namespace decodesim
