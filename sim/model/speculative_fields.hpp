#pragma once
// The fields of `scheduler.speculative`.

#include "sim/core/field_of.hpp"
#include "sim/model/model_fields.hpp"
#include "sim/model/speculative_spec.hpp"

namespace decodesim {

// vLLM takes as many as the drafts' method proposes; published ones are below 16.
inline constexpr double most_draft_tokens = 64;

inline constexpr std::string_view draft_names[] = {"ngram", "head", "model"};

constexpr bool acceptance_is_one_number(const SpeculativeSpec& speculative) {
  return speculative.acceptance_by_position.empty();
}
constexpr bool drafts_with_head(const SpeculativeSpec& speculative) { return speculative.draft == DraftKind::head; }
constexpr bool drafts_with_model(const SpeculativeSpec& speculative) { return speculative.draft == DraftKind::model; }

inline Value chance_of(const double& chance) { return chance; }
inline void set_chance(double& chance, const Value& value) { chance = std::get<double>(value); }
inline constexpr Field chance_item = computed_field<double, chance_of, set_chance>(
    "chance", Kind::fraction, {.doc = "of one position", .range = from_to(0, 1)});

inline constexpr Field speculative_fields[] = {
    field<&SpeculativeSpec::draft_tokens>(
        "draft_tokens",
        {.doc = "tokens that are proposed for each decoding sequence and verified in its next step; 0: none",
         .need = Need::required,
         .range = from_to(0, most_draft_tokens)}),
    field<&SpeculativeSpec::acceptance>(
        "acceptance", {.doc = "chance that a draft token is accepted, given that all before it were; of every position",
                       .need = Need::optional,
                       .kind = Kind::fraction,
                       .range = from_to(0, 1),
                       .applies = when<&acceptance_is_one_number>("scheduler.speculative.acceptance_by_position is "
                                                                  "absent",
                                                                  "acceptance_by_position")}),
    list<&SpeculativeSpec::acceptance_by_position>(
        "acceptance_by_position", {},
        {.doc = "the same chance position by position, one for each of draft_tokens, in place of `acceptance`",
         .need = Need::optional,
         .shorthand = &chance_item}),
    field<&SpeculativeSpec::draft>(
        "draft", {.doc = "who proposes: `ngram`, a look-up that costs the GPU nothing; `head`, layers like the model's "
                         "on top of it (EAGLE, MTP); `model`, a smaller model beside it",
                  .source = DefaultSource::assumed,
                  .choices = draft_names}),
    field<&SpeculativeSpec::head_layers>(
        "head_layers", {.doc = "layers of the head, each like one of the model's; it shares the model's embeddings",
                        .source = DefaultSource::spec,
                        .range = from_to(1, most_layers),
                        .applies = when<&drafts_with_head>("scheduler.speculative.draft is head", "draft")}),
    record<&SpeculativeSpec::model>(
        "model", model_fields,
        {.doc = "the smaller model, on the same GPUs in the same number formats",
         .need = Need::required,
         .applies = when<&drafts_with_model>("scheduler.speculative.draft is model", "draft"),
         .catalog = "models",
         .like = "like",
         .name_alone = true}),
};

}  // namespace decodesim
