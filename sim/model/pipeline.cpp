#include "sim/model/pipeline.hpp"

#include "sim/core/check.hpp"

namespace decodesim {

namespace {

/// Of the layers from `begin` to before `end`, those of each kind. Every n-th layer is the full one, so it ends its group.
LayerKinds kinds_between(const ModelSpec& model, int begin, int end) {
  const int layers = end - begin;
  if (model.has_states()) {
    const int full = end / model.linear.full_every - begin / model.linear.full_every;
    return {full, 0, layers - full};
  }
  if (!model.has_windows()) return {layers, 0, 0};
  const int every = model.window.global_every;
  const int full = every == 0 ? 0 : end / every - begin / every;
  return {full, layers - full, 0};
}

}  // namespace

std::vector<PipelineStage> pipeline_stages(const ModelSpec& model, int pp) {
  check(pp >= 1, "a model was split over no stage");
  std::vector<PipelineStage> stages(static_cast<std::size_t>(pp));
  for (PipelineStage& stage : stages) stage.layers = model.layers / pp;
  const int left = model.layers % pp;
  for (int i = 0; i < left; ++i) ++stages[static_cast<std::size_t>(pp - 2 - i)].layers;
  int begin = 0;
  for (PipelineStage& stage : stages) {
    stage.kinds = kinds_between(model, begin, begin + stage.layers);
    begin += stage.layers;
  }
  stages.front().first = true;
  stages.back().last = true;
  stages.back().kinds.full += model.cross_attention_layers + model.draft_layers;
  return stages;
}

}  // namespace decodesim
