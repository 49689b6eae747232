#include "sim/model/weights.hpp"

#include <algorithm>

namespace decodesim {

Bytes weight_bytes(const ModelSpec& model, Precision precision) {
  return Bytes(model.parameters * bytes_per_value(precision));
}

Bytes weight_bytes(const ModelSpec& model, const PrecisionSpec& precision) {
  if (precision.tables() == precision.weights) return weight_bytes(model, precision.weights);
  return stage_weight_bytes(model, precision, model.layers, true, true);
}

Bytes stage_weight_bytes(const ModelSpec& model, const PrecisionSpec& precision, int layers, bool first, bool last) {
  const double share = static_cast<double>(layers) / model.layers;
  const bool one_table = model.tied_embeddings && first && last;
  const double tables = one_table ? 1 : (first ? 1 : 0) + (last ? 1 : 0);
  return Bytes(layer_parameters(model) * share * bytes_per_value(precision.weights) +
               tables * lm_head_parameters(model) * bytes_per_value(precision.tables()));
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
