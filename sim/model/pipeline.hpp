#pragma once
// Which layers lie on which pipeline stage.

#include <vector>

#include "sim/model/model_spec.hpp"

namespace decodesim {

/// Layers of one kind each, as the cache sees them.
struct LayerKinds {
  int full = 0;    // their cache grows to the end of the context
  int window = 0;  // they cache a window
  int state = 0;   // they keep a state
};

struct PipelineStage {
  int layers = 0;  // of the model's own
  LayerKinds kinds;
  bool first = false;
  bool last = false;
};

/// The model's layers in `pp` runs of one length; layers that are left over go one each to the stages before the last, from
/// the back, which spares the last stage with its output layer, as vLLM does (vllm/distributed/utils.py, get_pp_indices).
/// Draft and cross-attention layers are counted on the last stage.
std::vector<PipelineStage> pipeline_stages(const ModelSpec& model, int pp);

}  // namespace decodesim
