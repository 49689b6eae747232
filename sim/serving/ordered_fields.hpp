#pragma once
// The fields of `scheduler` that the ordered policies read: orders by length, fair shares, levels, admission estimates.

#include "sim/core/field_of.hpp"
#include "sim/serving/policy_table.hpp"
#include "sim/serving/serving_spec.hpp"

namespace decodesim {

inline constexpr std::string_view predictor_names[] = {"oracle", "lognormal", "buckets", "max_tokens"};

constexpr bool predicts_with_error(const PredictorSpec& predictor) {
  return predictor.kind == PredictorKind::lognormal;
}
inline bool shares_fairly(const SchedulerSpec& scheduler) { return queue_order_of(scheduler) == "fair"; }
inline bool weighs_by_ratio(const SchedulerSpec& scheduler) { return admission_of(scheduler) == "ratio-weighted"; }
inline bool has_levels(const SchedulerSpec& scheduler) { return engine_reads(scheduler.engine, "mlfq"); }

inline constexpr Field predictor_fields[] = {
    field<&PredictorSpec::kind>(
        "kind", {.doc = "all but max_tokens are oracles: they start from the real length, as no real server can",
                 .source = DefaultSource::assumed,
                 .choices = predictor_names}),
    field<&PredictorSpec::sigma>(
        "sigma", {.doc = "standard deviation of the logarithm of the prediction's error",
                  .need = Need::required,
                  .range = from_to(0, 10),
                  .applies = when<&predicts_with_error>("scheduler.predictor.kind is lognormal", "kind")}),
};

inline constexpr Field tenant_weight_fields[] = {
    field<&TenantWeight::tenant>("tenant", {.doc = "as its requests name it", .need = Need::required}),
    field<&TenantWeight::weight>(
        "weight",
        {.doc = "its share, in proportion to the others", .need = Need::required, .range = from_to(1e-6, 1e6)}),
};

inline constexpr Field fair_fields[] = {
    field<&FairSpec::input_price>(
        "input_price",
        {.doc = "what a token of a prompt counts", .source = DefaultSource::spec, .range = from_to(0, 1e6)}),
    field<&FairSpec::output_price>(
        "output_price",
        {.doc = "what a token of an output counts", .source = DefaultSource::spec, .range = from_to(0, 1e6)}),
    list<&FairSpec::weights>("weights", tenant_weight_fields,
                             {.doc = "tenants whose share is not that of the others", .need = Need::optional}),
};

inline constexpr Field mlfq_fields[] = {
    field<&MlfqKnobs::quantum>("quantum", {.doc = "time at the first level before a request falls to the next",
                                           .source = DefaultSource::spec,
                                           .range = from_to(1, 1e18)}),
    field<&MlfqKnobs::growth>(
        "growth",
        {.doc = "from a level's quantum to the next one's", .source = DefaultSource::spec, .range = from_to(2, 1000)}),
    field<&MlfqKnobs::starvation_limit>("starvation_limit",
                                        {.doc = "who has not run for so long goes to the front of the first level",
                                         .source = DefaultSource::spec,
                                         .range = from_to(0, 1e18)}),
    field<&MlfqKnobs::starvation_check>(
        "starvation_check",
        {.doc = "passes between two looks at who starves", .source = DefaultSource::spec, .range = from_to(1, 1e9)}),
    field<&MlfqKnobs::free_blocks>("free_blocks",
                                   {.doc = "kept free ahead of need by moving KV to the host; at least max_num_seqs",
                                    .source = DefaultSource::spec,
                                    .range = from_to(0, 1e9)}),
};

inline constexpr Field ordered_fields[] = {
    record<&SchedulerSpec::predictor>(
        "predictor", predictor_fields,
        {.doc = "who tells policies by length how long outputs will be",
         .applies = when<&goes_by_length>("the queue order is sjf or srpt", "queue_order")}),
    field<&SchedulerSpec::ageing>(
        "ageing", {.doc = "a request counts for a token less for each so long that it waits; 0 s: never",
                   .source = DefaultSource::assumed,
                   .range = from_to(0, 1e18),
                   .applies = when<&goes_by_length>("the queue order is sjf or srpt", "queue_order")}),
    record<&SchedulerSpec::fair>("fair", fair_fields,
                                 {.doc = "what service counts in fair shares",
                                  .applies = when<&shares_fairly>("the queue order is fair", "queue_order")}),
    field<&SchedulerSpec::admission_ratio>(
        "admission_ratio",
        {.doc = "set aside of what the running ones may still generate; below 1 more is let in than is sure to fit",
         .source = DefaultSource::spec,
         .kind = Kind::fraction,
         .range = from_to(0, 1),
         .applies = when<&weighs_by_ratio>("scheduler.admission is ratio-weighted", "admission")}),
    record<&SchedulerSpec::mlfq>("mlfq", mlfq_fields,
                                 {.doc = "levels of the multi-level feedback queue",
                                  .applies = when<&has_levels>("scheduler.engine is mlfq", "engine")}),
};

}  // namespace decodesim
