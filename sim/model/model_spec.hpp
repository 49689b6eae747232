#pragma once
// The shape of a model: what is needed for its bytes and its operations, and no more.

#include <string>

#include "sim/core/quantity.hpp"

namespace decodesim {

/// What a server keeps of a latent: the vector as it is; the vector with each layer's row filled up to 256 bytes, as
/// vLLM 0.7.2 and 0.7.3 aligned it; or, where it has no kernel for latents, keys and values of every head, each filled up
/// to a power of two, since kernels took heads of 128 or 256 values.
enum class LatentCache { compact, aligned_256_bytes, no_mla_kernel };

/// Multi-head latent attention caches one compressed vector and one rotary key a token and layer, whatever the heads.
struct MlaSpec {
  int kv_lora_rank = 0;  // 0: the model has no latent attention
  int rope_head_dim = 0;
  LatentCache cached_as = LatentCache::compact;  // the server's doing, but all bytes of the cache follow from it
};

/// Sliding-window layers attend to, and cache, the last `size` tokens.
struct WindowSpec {
  Tokens size{0};        // 0: no layer has a window
  int global_every = 0;  // every n-th layer sees everything; 0: no layer does
  int kv_heads = 0;      // of the windowed layers; 0: as the others
  int head_dim = 0;      // of the windowed layers; 0: as the others
};

/// Layers that keep a state of fixed size in place of a cache that grows: linear attention, gated delta nets, Mamba.
struct LinearSpec {
  int full_every = 0;  // every n-th layer is full attention, the others keep a state; 0: no layer does
  Bytes state{0.0};    // of a sequence in one such layer, over all ranks
};

/// Attention that reads only the tokens which an indexer finds best (DeepSeek-V3.2): the indexer scores every cached token by
/// a small key of its own, in 8 bits.
struct SparseSpec {
  Tokens top_k{0};      // tokens that attention reads; 0: all
  int index_heads = 0;  // of the indexer's queries
  int index_dim = 0;    // values of its keys
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
  LinearSpec linear;
  MoeSpec moe;
  SparseSpec sparse;
  int cross_attention_layers = 0;  // beyond `layers`, for images; servers give them a cache like that of the others
  int draft_layers = 0;            // beyond `layers`, of a draft head that shares the cache

  [[nodiscard]] bool has_latent_cache() const { return mla.kv_lora_rank > 0; }
  [[nodiscard]] bool has_windows() const { return window.size.value() > 0; }
  [[nodiscard]] bool reads_best() const { return sparse.top_k.value() > 0; }
  [[nodiscard]] bool has_states() const { return linear.full_every > 0; }
  /// Layers of `layers` that see the whole context.
  [[nodiscard]] int global_layers() const {
    if (has_states()) return layers / linear.full_every;
    if (!has_windows()) return layers;
    return window.global_every == 0 ? 0 : layers / window.global_every;
  }
  [[nodiscard]] int window_layers() const { return has_windows() && !has_states() ? layers - global_layers() : 0; }
  [[nodiscard]] int state_layers() const { return has_states() ? layers - global_layers() : 0; }
  /// Layers whose cache grows with the context to its end: global ones, and those beyond `layers`.
  [[nodiscard]] int full_cache_layers() const { return global_layers() + cross_attention_layers + draft_layers; }
};

}  // namespace decodesim
