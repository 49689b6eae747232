#pragma once
// Where a model's parameters are, and what they weigh.

#include "sim/core/precision.hpp"
#include "sim/core/quantity.hpp"
#include "sim/model/deployment_spec.hpp"
#include "sim/model/model_spec.hpp"

namespace decodesim {

/// All parameters in one format; scales of quantized formats are not counted.
Bytes weight_bytes(const ModelSpec& model, Precision precision);
/// Parameters of layers in one format, and embeddings and output layer in theirs, which quantized models keep in 16 bits.
/// The same as weight_bytes(model, precision.weights) where the formats are one.
Bytes weight_bytes(const ModelSpec& model, const PrecisionSpec& precision);
/// The parameters of one pipeline stage of `layers` layers: the first has the input embedding, the last the output layer; a
/// tied embedding lies on both.
Bytes stage_weight_bytes(const ModelSpec& model, const PrecisionSpec& precision, int layers, bool first, bool last);

/// What one of `tp` ranks holds: an even share, since tables that a rank might hold whole (norms, a router) are small.
Bytes weight_shard_bytes(const ModelSpec& model, Precision precision, int tp);

/// Parameters of the output layer, which only sequences that yield a token pass through.
double lm_head_parameters(const ModelSpec& model);
/// Parameters that every step reads from memory besides the output layer: all but the input embedding, of which a step
/// reads one row a token, which is left out. A tied embedding is the output layer.
double layer_parameters(const ModelSpec& model);
/// Parameters of the layers that one token is multiplied with: the active ones where the model has experts.
double multiplied_parameters(const ModelSpec& model);

}  // namespace decodesim
