#pragma once
// The shape of a model as its config.json tells it, with what only counting parameters needs.

#include <string>
#include <utility>
#include <vector>

#include "sim/model/model_spec.hpp"
#include "sim/scenario/model_import/config_keys.hpp"
#include "sim/scenario/model_import/model_family.hpp"

namespace decodesim {

/// A gated delta net: its heads, and the convolution before them.
struct DeltaNetShape {
  int key_heads = 0;
  int value_heads = 0;
  int key_dim = 0;
  int value_dim = 0;
  int kernel = 0;  // tokens that the convolution sees
  [[nodiscard]] double keys() const { return static_cast<double>(key_heads) * key_dim; }
  [[nodiscard]] double values() const { return static_cast<double>(value_heads) * value_dim; }
  /// What the convolution runs over: queries, keys and values.
  [[nodiscard]] double channels() const { return 2 * keys() + values(); }
};

struct ModelShape {
  ModelSpec spec;       // parameters are not counted yet
  int q_lora_rank = 0;  // 0: queries are projected at once
  bool qkv_bias = false;
  bool output_bias = false;
  bool feed_forward_bias = false;
  bool router_bias = false;
  DeltaNetShape delta;
  double shared_width = 0;       // of all shared experts together
  double vision_parameters = 0;  // of a tower before the model, where it is counted
  /// Keys of the file by field, "window.size" from "sliding_window".
  std::vector<std::pair<std::string, std::string>> origins;
};

/// Mistakes and what is left out go to the Reading behind `keys`. `keys` is the object that holds the text model, `root` the
/// whole file, which may be the same.
ModelShape read_model_shape(const ModelFamily& family, ConfigKeys& keys, ConfigKeys& root);

/// Fills in `parameters` and, with experts, `active_parameters`: matrices of one token's products with the output layer and
/// without the input embedding.
void count_parameters(const ModelFamily& family, ModelShape& shape);

/// Parameters of a SigLIP tower with the projector of Gemma 3, the only one that is counted.
double siglip_parameters(ConfigKeys& vision, int hidden_size);

}  // namespace decodesim
