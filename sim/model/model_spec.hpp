#pragma once
// The shape of a model: what is needed for its bytes and its operations, and no more.

#include <string>

#include "sim/core/quantity.hpp"

namespace decodesim {

/// Multi-head latent attention caches one compressed vector and one rotary key a token and layer, whatever the heads.
struct MlaSpec {
  int kv_lora_rank = 0;  // 0: the model has no latent attention
  int rope_head_dim = 0;
};

/// Sliding-window layers attend to, and cache, the last `size` tokens.
struct WindowSpec {
  Tokens size{0};        // 0: no layer has a window
  int global_every = 0;  // every n-th layer sees everything; 0: no layer does
};

/// A mixture of experts in every layer but the first `dense_layers`.
struct MoeSpec {
  int experts = 0;  // 0: dense
  int active = 0;
  int shared = 0;
  int intermediate_size = 0;
  int dense_layers = 0;
};

struct ModelSpec {
  std::string name;
  double parameters = 0;         // all of them, embeddings included
  double active_parameters = 0;  // that one token's matrix products touch; 0: all
  int layers = 0;
  int hidden_size = 0;
  int heads = 0;
  int kv_heads = 0;
  int head_dim = 0;
  int intermediate_size = 0;
  int vocab_size = 0;
  bool tied_embeddings = false;
  Tokens max_model_len{0};
  MlaSpec mla;
  WindowSpec window;
  MoeSpec moe;

  [[nodiscard]] bool has_latent_cache() const { return mla.kv_lora_rank > 0; }
  /// Layers that see the whole context.
  [[nodiscard]] int global_layers() const {
    if (window.size.value() == 0) return layers;
    return window.global_every == 0 ? 0 : layers / window.global_every;
  }
};

}  // namespace decodesim
