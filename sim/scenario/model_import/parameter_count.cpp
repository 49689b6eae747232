// How many parameters a shape has, tensor by tensor as the published checkpoints hold them.

#include "sim/scenario/model_import/model_shape.hpp"

namespace decodesim {

namespace {

/// Parameters that stand in matrix products, and all others: norms, biases, sinks, convolutions.
struct Count {
  double products = 0;
  double others = 0;
  Count& operator+=(const Count& more) {
    products += more.products;
    others += more.others;
    return *this;
  }
};
Count times(double layers, const Count& one) { return {layers * one.products, layers * one.others}; }

class Counter {
 public:
  Counter(const ModelFamily& family, const ModelShape& shape)
      : family_(family), shape_(shape), spec_(shape.spec), hidden_(shape.spec.hidden_size) {}

  /// All but the two tables, with so many routed experts a layer.
  [[nodiscard]] Count layers(double experts) const {
    const double states = spec_.state_layers();
    const double dense = spec_.moe.experts == 0 ? spec_.layers : spec_.moe.dense_layers;
    Count count = times(spec_.layers - states, spec_.has_latent_cache() ? latent_attention() : attention());
    if (states > 0) count += times(states, delta_net());
    count += times(dense, feed_forward(spec_.intermediate_size));
    if (spec_.moe.experts > 0) count += times(spec_.layers - dense, expert_layer(experts));
    count.others += (static_cast<double>(family_.norms) * spec_.layers + 1) * hidden_;
    return count;
  }

 private:
  [[nodiscard]] Count attention() const {
    const double queries = static_cast<double>(spec_.heads) * spec_.head_dim;
    const double gated = family_.attention == AttentionKind::hybrid ? 2 * queries : queries;
    const double qkv = gated + 2.0 * spec_.kv_heads * spec_.head_dim;
    Count count{hidden_ * (qkv + queries), 0};
    if (shape_.qkv_bias) count.others += qkv;
    if (shape_.output_bias) count.others += hidden_;
    if (family_.head_norms) count.others += 2.0 * spec_.head_dim;
    if (family_.model_type == "gpt_oss") count.others += spec_.heads;  // an attention sink each
    return count;
  }

  [[nodiscard]] Count latent_attention() const {
    const double rope = spec_.mla.rope_head_dim;
    const double latent = spec_.mla.kv_lora_rank;
    const double queries = spec_.heads * (spec_.head_dim + rope);
    const double values = static_cast<double>(spec_.heads) * spec_.head_dim;
    const double rank = shape_.q_lora_rank;
    Count count{hidden_ * (latent + rope) + latent * 2 * values + values * hidden_, latent};
    count += rank > 0 ? Count{rank * (hidden_ + queries), rank} : Count{hidden_ * queries, 0};
    if (shape_.qkv_bias) count.others += rank + latent + rope;
    if (shape_.output_bias) count.others += hidden_;
    return count;
  }

  [[nodiscard]] Count delta_net() const {
    const DeltaNetShape& delta = shape_.delta;
    // In: queries, keys, values and a gate as wide as these, two scalars a head. Beside the convolution a head has a decay
    // and a bias of its step; one norm serves all heads.
    return {hidden_ * (delta.channels() + delta.values() + 2.0 * delta.value_heads) + delta.values() * hidden_,
            delta.channels() * delta.kernel + 2.0 * delta.value_heads + delta.value_dim};
  }

  [[nodiscard]] Count feed_forward(double width) const {
    return {3 * hidden_ * width, shape_.feed_forward_bias ? 2 * width + hidden_ : 0};
  }

  [[nodiscard]] Count expert_layer(double experts) const {
    Count count = times(experts, feed_forward(spec_.moe.intermediate_size));
    const bool shared = shape_.shared_width > 0;
    if (shared) count += feed_forward(shape_.shared_width);
    const bool gated = family_.experts == ExpertKind::qwen && shared;
    count.products += hidden_ * (spec_.moe.experts + (gated ? 1 : 0));  // the router, and a gate of the shared expert
    if (shape_.router_bias) count.others += spec_.moe.experts;
    return count;
  }

  const ModelFamily& family_;
  const ModelShape& shape_;
  const ModelSpec& spec_;
  double hidden_;
};

}  // namespace

void count_parameters(const ModelFamily& family, ModelShape& shape) {
  ModelSpec& spec = shape.spec;
  const Counter counter(family, shape);
  const double table = static_cast<double>(spec.vocab_size) * spec.hidden_size;
  const Count all = counter.layers(spec.moe.experts);
  spec.parameters = all.products + all.others + table * (spec.tied_embeddings ? 1 : 2) + shape.vision_parameters;
  if (spec.moe.experts > 0) spec.active_parameters = counter.layers(spec.moe.active).products + table;
}

double siglip_parameters(ConfigKeys& vision, int hidden_size) {
  constexpr Range width = from_to(1, 1e5);
  const double hidden = vision.whole("hidden_size", width).value_or(0);
  const double inner = vision.whole("intermediate_size", width).value_or(0);
  const double layers = vision.whole("num_hidden_layers", width).value_or(0);
  const double patch = vision.whole("patch_size", width).value_or(0);
  const double side = vision.whole("image_size", width).value_or(0);
  if (!(hidden > 0 && inner > 0 && layers > 0 && patch > 0 && side > 0)) return 0;
  const double patches = static_cast<double>(static_cast<int>(side / patch)) * static_cast<int>(side / patch);
  const double attention = 4 * hidden * (hidden + 1);
  const double feed_forward = 2 * hidden * inner + inner + hidden;
  const double embedding = 3 * patch * patch * hidden + hidden + patches * hidden;
  const double projector = hidden * hidden_size + hidden;  // with its norm
  return layers * (attention + feed_forward + 4 * hidden) + embedding + 2 * hidden + projector;
}

}  // namespace decodesim
