#include "sim/model/draft.hpp"

#include "sim/core/check.hpp"
#include "sim/model/kv_cache.hpp"
#include "sim/model/operations.hpp"
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
  // Its layers are of the kind that sees everything, and those beyond the target's `layers` are the target's alone.
  head.window = {};
  head.linear = {};
  head.cross_attention_layers = head.draft_layers = 0;
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
  const ModelSpec own = draft_model(speculative, target);
  DraftShare share;
  share.kv_per_token = kv_bytes_per_token_per_rank(own, precision.kv_cache, tp);
  // A head has the target's embeddings; those of a model of its own are kept in their own format, as the target's are.
  share.weights = speculative.draft == DraftKind::head
                      ? Bytes(layer_parameters(own) * bytes_per_value(precision.weights)) / static_cast<double>(tp)
                      : weight_bytes(own, precision) / static_cast<double>(tp);
  return share;
}

std::unique_ptr<CostModel> with_draft_of(std::unique_ptr<CostModel> own, const SpeculativeSpec& speculative,
                                         const CostSpec& cost, const ModelSpec& target, const NodeSpec& node,
                                         const ParallelSpec& parallel, const PrecisionSpec& precision) {
  const bool costs = speculative.on() && speculative.draft != DraftKind::ngram && cost.model != CostKind::fixed;
  if (!costs) return own;
  const ModelSpec drafting = draft_model(speculative, target);
  return with_draft(std::move(own), make_cost_model(cost, drafting, node, parallel, precision),
                    speculative.draft_tokens, attention_clip(drafting));
}

}  // namespace decodesim
