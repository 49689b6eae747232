#include "sim/model/weights.hpp"

#include <algorithm>

namespace decodesim {

Bytes weight_bytes(const ModelSpec& model, Precision precision) {
  return Bytes(model.parameters * bytes_per_value(precision));
}

Bytes weight_shard_bytes(const ModelSpec& model, Precision precision, int tp) {
  return weight_bytes(model, precision) / static_cast<double>(tp);
}

double lm_head_parameters(const ModelSpec& model) {
  return static_cast<double>(model.vocab_size) * static_cast<double>(model.hidden_size);
}

double layer_parameters(const ModelSpec& model) {
  const double tables = model.tied_embeddings ? 1 : 2;
  // A scenario may state fewer parameters than its tables have; then no layers are left, not a negative number of them.
  return std::max(0.0, model.parameters - tables * lm_head_parameters(model));
}

double multiplied_parameters(const ModelSpec& model) {
  // Active parameters include the output layer and not the input embedding.
  if (model.active_parameters > 0) return std::max(0.0, model.active_parameters - lm_head_parameters(model));
  return layer_parameters(model);
}

}  // namespace decodesim
