#include "sim/model/draft.hpp"

#include "sim/core/check.hpp"
#include "sim/model/kv_cache.hpp"
#include "sim/model/weights.hpp"

namespace decodesim {

namespace {

ModelSpec head_of(const ModelSpec& target, int layers) {
  const double share = static_cast<double>(layers) / target.layers;
  const double tables = target.parameters - layer_parameters(target);
  ModelSpec head = target;
  head.name = "";
  head.layers = layers;
  head.parameters = tables + layer_parameters(target) * share;
  if (target.active_parameters > 0)
    head.active_parameters = lm_head_parameters(target) + multiplied_parameters(target) * share;
  head.window = {};
  head.moe.dense_layers = 0;
  return head;
}

}  // namespace

ModelSpec draft_model(const SpeculativeSpec& speculative, const ModelSpec& target) {
  check(speculative.draft != DraftKind::ngram, "a look-up is no model");
  return speculative.draft == DraftKind::head ? head_of(target, speculative.head_layers) : speculative.model;
}

DraftShare draft_share(const SpeculativeSpec& speculative, const ModelSpec& target, const PrecisionSpec& precision,
                       int tp) {
  if (!speculative.on() || speculative.draft == DraftKind::ngram || target.layers == 0) return {};
  ModelSpec own = draft_model(speculative, target);
  DraftShare share;
  share.kv_per_token = kv_bytes_per_token_per_rank(own, precision.kv_cache, tp);
  if (speculative.draft == DraftKind::head) own.parameters = layer_parameters(own);
  share.weights = weight_shard_bytes(own, precision.weights, tp);
  return share;
}

std::unique_ptr<CostModel> with_draft_of(std::unique_ptr<CostModel> own, const SpeculativeSpec& speculative,
                                         const CostSpec& cost, const ModelSpec& target, const NodeSpec& node,
                                         const ParallelSpec& parallel, const PrecisionSpec& precision) {
  const bool costs = speculative.on() && speculative.draft != DraftKind::ngram && cost.model != CostKind::fixed;
  if (!costs) return own;
  auto draft = make_cost_model(cost, draft_model(speculative, target), node, parallel, precision);
  return with_draft(std::move(own), std::move(draft), speculative.draft_tokens);
}

}  // namespace decodesim
