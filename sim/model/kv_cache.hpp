#pragma once
// Bytes of the KV cache, from a model's shape.

#include "sim/core/precision.hpp"
#include "sim/core/quantity.hpp"
#include "sim/model/model_spec.hpp"

namespace decodesim {

/// Values that one token leaves in the 16-bit cache of one layer that sees the whole context, over all heads: a key and a
/// value for each KV head, or the compressed vector and the rotary key of latent attention, which all heads share.
double kv_values_per_token_per_layer(const ModelSpec& model);

/// Formats of 6 and 4 bits take fractional bytes a value; their scales are not counted.
Bytes kv_bytes_per_token_per_layer(const ModelSpec& model, Precision precision);
/// One token in all layers that have a cache, those of a draft head and of cross-attention included, as if every one saw
/// the whole context. This is what an engine allocates that does not know of windows. Layers with a state have none.
Bytes kv_bytes_per_token(const ModelSpec& model, Precision precision);
/// What one sequence needs at `context` tokens: a sliding-window layer holds the last min(context, window) of them, and a
/// layer with a state that state, whatever the context.
Bytes kv_bytes_per_sequence(const ModelSpec& model, Precision precision, Tokens context);

/// KV heads on the fullest of `tp` ranks: an even share, and at least one, since a rank cannot hold part of a head. So
/// ranks beyond the number of heads hold copies.
int kv_heads_per_rank(const ModelSpec& model, int tp);
/// One token in one layer on one of `tp` ranks, by the kind of the layer.
struct KvPageBytes {
  Bytes full;
  Bytes window;
};
KvPageBytes kv_page_bytes_per_token(const ModelSpec& model, Precision precision, int tp);
/// One token on one of `tp` ranks, in all layers that have a cache. Every rank holds the whole latent, which cannot be
/// split by heads; a server without a kernel for latents keeps heads in its place, and those are split.
Bytes kv_bytes_per_token_per_rank(const ModelSpec& model, Precision precision, int tp);
/// How often the cache exists over all ranks together: 1 unless ranks hold copies.
double kv_copies(const ModelSpec& model, int tp);

}  // namespace decodesim
