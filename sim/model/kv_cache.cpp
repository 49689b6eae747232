#include "sim/model/kv_cache.hpp"

#include <algorithm>
#include <cmath>

#include "sim/core/rounding.hpp"

namespace decodesim {

namespace {

/// Values of one kind of layers on a rank with a `tp`-th of the heads.
struct Shape {
  double full = 0;    // a layer that sees the whole context
  double window = 0;  // a layer with a window
};

int heads_per_rank(int heads, int tp) { return std::max(1, ceil_div(heads, tp)); }

int power_of_two_from(int values) {
  int power = 1;
  while (power < values) power *= 2;
  return power;
}

double latent_values(const ModelSpec& model, Precision precision, int tp) {
  const double values = model.mla.kv_lora_rank + model.mla.rope_head_dim;
  switch (model.mla.cached_as) {
    case LatentCache::compact:
      return values;
    case LatentCache::aligned_256_bytes:
      return std::ceil(values * bytes_per_value(precision) / 256) * 256 / bytes_per_value(precision);
    case LatentCache::no_mla_kernel:
      return 2.0 * heads_per_rank(model.heads, tp) * power_of_two_from(model.head_dim + model.mla.rope_head_dim);
  }
  return values;
}

Shape shape_on_rank(const ModelSpec& model, Precision precision, int tp) {
  if (model.has_latent_cache()) {
    const double values = latent_values(model, precision, tp);
    return {values, values};
  }
  const int heads = model.window.kv_heads > 0 ? model.window.kv_heads : model.kv_heads;
  const int dim = model.window.head_dim > 0 ? model.window.head_dim : model.head_dim;
  return {2.0 * heads_per_rank(model.kv_heads, tp) * model.head_dim, 2.0 * heads_per_rank(heads, tp) * dim};
}

double values_of_all_layers(const ModelSpec& model, const Shape& shape) {
  return shape.full * model.full_cache_layers() + shape.window * model.window_layers();
}

/// The indexer's keys of one token in one layer, whatever the format of the rest of the cache, and on every rank.
Bytes index_bytes(const ModelSpec& model) { return Bytes(model.reads_best() ? model.sparse.index_dim : 0); }

}  // namespace

double kv_values_per_token_per_layer(const ModelSpec& model) { return shape_on_rank(model, Precision::bf16, 1).full; }

Bytes kv_bytes_per_token_per_layer(const ModelSpec& model, Precision precision) {
  return kv_page_bytes_per_token(model, precision, 1).full;
}

KvPageBytes kv_page_bytes_per_token(const ModelSpec& model, Precision precision, int tp) {
  const Shape shape = shape_on_rank(model, precision, tp);
  const double value = bytes_per_value(precision);
  return {Bytes(shape.full * value) + index_bytes(model), Bytes(shape.window * value) + index_bytes(model)};
}

Bytes kv_bytes_per_token(const ModelSpec& model, Precision precision) {
  return kv_bytes_per_token_per_rank(model, precision, 1);
}

Bytes kv_bytes_per_sequence(const ModelSpec& model, Precision precision, Tokens context) {
  const KvPageBytes token = kv_page_bytes_per_token(model, precision, 1);
  const Tokens in_window = model.has_windows() ? std::min(context, model.window.size) : context;
  const auto layer_tokens = [](int layers, Tokens tokens) {
    return static_cast<double>(layers) * static_cast<double>(tokens.value());
  };
  return token.full * layer_tokens(model.full_cache_layers(), context) +
         token.window * layer_tokens(model.window_layers(), in_window) +
         model.linear.state * static_cast<double>(model.state_layers());
}

int kv_heads_per_rank(const ModelSpec& model, int tp) { return heads_per_rank(model.kv_heads, tp); }

Bytes kv_bytes_per_token_per_rank(const ModelSpec& model, Precision precision, int tp) {
  const double values = values_of_all_layers(model, shape_on_rank(model, precision, tp));
  return Bytes(values * bytes_per_value(precision)) +
         index_bytes(model) * static_cast<double>(model.full_cache_layers() + model.window_layers());
}

double kv_copies(const ModelSpec& model, int tp) {
  const double rank = values_of_all_layers(model, shape_on_rank(model, Precision::bf16, tp));
  return rank * tp / values_of_all_layers(model, shape_on_rank(model, Precision::bf16, 1));
}

}  // namespace decodesim
