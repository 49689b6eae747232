#pragma once
// Who proposes draft tokens, as a model with a price.

#include <memory>

#include "sim/model/cost_model.hpp"
#include "sim/model/memory_plan.hpp"
#include "sim/model/speculative_spec.hpp"

namespace decodesim {

/// What drafts for `target`, as a model of its own. A head is `head_layers` layers of the target with its embeddings and
/// its output layer; layers with experts have them all. `draft` must not be ngram.
ModelSpec draft_model(const SpeculativeSpec& speculative, const ModelSpec& target);

/// What drafts for `target` takes on one of `tp` ranks: weights, without the embeddings that a head shares with it, and KV
/// of every token in layers of its own. Nothing without speculation and for ngram.
DraftShare draft_share(const SpeculativeSpec& speculative, const ModelSpec& target, const PrecisionSpec& precision,
                       int tp);

/// `cost` for a server whose steps also propose `draft_tokens` for every sequence, with a model that `draft` prices. The
/// drafts of a step are k passes, one after the other: the first takes in the step's own tokens, prompts included, and
/// each of the others the token that the one before proposed. Their time is the ledger's part `draft`, under what the
/// passes waited for; the host's share of a pass is left out, since it works once a step. Contexts of prompts that end
/// in the step are left out of the passes after the first. Layers of what drafts that see at most `clip` tokens do so as
/// if the sequences of a step were alike, since a step's own clipped sums are those of the target.
std::unique_ptr<CostModel> with_draft(std::unique_ptr<CostModel> cost, std::unique_ptr<CostModel> draft,
                                      std::int64_t draft_tokens, std::int64_t clip = StepShape::unclipped);

/// The same for what drafts here; `cost` itself where that costs nothing: without speculation, for ngram, and under
/// `fixed`, where a step lasts as long whatever it computes.
std::unique_ptr<CostModel> with_draft_of(std::unique_ptr<CostModel> own, const SpeculativeSpec& speculative,
                                         const CostSpec& cost, const ModelSpec& target, const NodeSpec& node,
                                         const ParallelSpec& parallel, const PrecisionSpec& precision);

}  // namespace decodesim
