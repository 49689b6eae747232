#include "sim/model/operations.hpp"

#include "sim/model/weights.hpp"

namespace decodesim {

namespace {

/// Width of the feed-forward's middle that one token passes through, summed over the layers.
double feed_forward_width(const ModelSpec& model) {
  const MoeSpec& moe = model.moe;
  if (moe.experts == 0) return static_cast<double>(model.layers) * model.intermediate_size;
  const double dense = static_cast<double>(moe.dense_layers) * model.intermediate_size;
  const double experts = static_cast<double>(model.layers - moe.dense_layers) * (moe.active + moe.shared);
  return dense + experts * moe.intermediate_size;
}

}  // namespace

Flops linear_flops_per_token(const ModelSpec& model) { return Flops(2 * multiplied_parameters(model)); }

Flops lm_head_flops_per_sample(const ModelSpec& model) { return Flops(2 * lm_head_parameters(model)); }

Flops attention_flops_per_pair(const ModelSpec& model) {
  return Flops(4.0 * model.layers * model.heads * model.head_dim);
}

Flops layer_flops_per_pair(const ModelSpec& model, AttentionForm form) {
  if (!model.has_latent_cache()) return Flops(4.0 * model.heads * model.head_dim);
  const double width = form == AttentionForm::absorbed ? model.mla.kv_lora_rank : model.head_dim;
  return Flops(2.0 * model.heads * (2 * width + model.mla.rope_head_dim));
}

Flops window_flops_per_pair(const ModelSpec& model) {
  return Flops(4.0 * model.heads * (model.window.head_dim > 0 ? model.window.head_dim : model.head_dim));
}

Flops index_flops_per_pair(const ModelSpec& model) {
  return Flops(2.0 * model.sparse.index_heads * model.sparse.index_dim);
}

std::int64_t attention_clip(const ModelSpec& model) {
  if (model.has_windows()) return model.window.size.value();
  return model.reads_best() ? model.sparse.top_k.value() : StepShape::unclipped;
}

Bytes activation_bytes_per_token(const ModelSpec& model, int tp) {
  // In: to queries, keys and values, to the feed-forward; out: of attention, of the feed-forward.
  const double whole = 4.0 * model.layers * model.hidden_size * tp;
  // Queries, keys and values are written; attention's result, as wide as the queries, is read.
  const double attention =
      static_cast<double>(model.layers) * model.head_dim * (2.0 * model.heads + 2.0 * model.kv_heads);
  // Gate and up are written, their product is read.
  const double feed_forward = 3 * feed_forward_width(model);
  return Bytes((whole + attention + feed_forward) * activation_bytes_per_value);
}

Bytes lm_head_activation_bytes(const ModelSpec& model, int tp) {
  return Bytes((static_cast<double>(model.hidden_size) * tp + model.vocab_size) * activation_bytes_per_value);
}

Bytes all_reduce_bytes_per_token(const ModelSpec& model) {
  return Bytes(model.hidden_size * activation_bytes_per_value);
}

}  // namespace decodesim
