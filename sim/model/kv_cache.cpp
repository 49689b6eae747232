#include "sim/model/kv_cache.hpp"

#include <algorithm>

#include "sim/core/rounding.hpp"

namespace decodesim {

namespace {

double values_per_token_per_layer(const ModelSpec& model, int kv_heads) {
  if (model.has_latent_cache()) return model.mla.kv_lora_rank + model.mla.rope_head_dim;
  return 2.0 * kv_heads * model.head_dim;
}

}  // namespace

double kv_values_per_token_per_layer(const ModelSpec& model) {
  return values_per_token_per_layer(model, model.kv_heads);
}

Bytes kv_bytes_per_token_per_layer(const ModelSpec& model, Precision precision) {
  return Bytes(kv_values_per_token_per_layer(model) * bytes_per_value(precision));
}

Bytes kv_bytes_per_token(const ModelSpec& model, Precision precision) {
  return kv_bytes_per_token_per_layer(model, precision) * static_cast<double>(model.layers);
}

Bytes kv_bytes_per_sequence(const ModelSpec& model, Precision precision, Tokens context) {
  const int global = model.global_layers();
  const Tokens in_window = model.window.size.value() > 0 ? std::min(context, model.window.size) : context;
  const double layer_tokens = static_cast<double>(global) * static_cast<double>(context.value()) +
                              static_cast<double>(model.layers - global) * static_cast<double>(in_window.value());
  return kv_bytes_per_token_per_layer(model, precision) * layer_tokens;
}

int kv_heads_per_rank(const ModelSpec& model, int tp) { return std::max(1, ceil_div(model.kv_heads, tp)); }

Bytes kv_bytes_per_token_per_rank(const ModelSpec& model, Precision precision, int tp) {
  const double values = values_per_token_per_layer(model, kv_heads_per_rank(model, tp));
  return Bytes(values * bytes_per_value(precision)) * static_cast<double>(model.layers);
}

double kv_copies(const ModelSpec& model, int tp) {
  const double rank = values_per_token_per_layer(model, kv_heads_per_rank(model, tp));
  return rank * tp / kv_values_per_token_per_layer(model);
}

}  // namespace decodesim
