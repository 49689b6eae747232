#pragma once
// The fields of `scheduler` that choose one policy in place of the engine's own, an axis each.

#include "sim/core/field_of.hpp"
#include "sim/serving/policy_table.hpp"
#include "sim/serving/serving_spec.hpp"

namespace decodesim {

template <NameArgument axis>
bool axis_is_open(const SchedulerSpec& scheduler) {
  return engine_opens(scheduler.engine, axis.text);
}
template <NameArgument axis>
std::vector<std::string_view> policies_on() {
  return policy_names(axis.text);
}

/// An axis: its key, the member it fills, what it decides.
template <NameArgument axis, auto member>
constexpr Field axis_field(std::string_view doc) {
  return field_in<&SchedulerSpec::policies, member>(
      axis.text, {.doc = doc,
                  .need = Need::optional,
                  .names = policies_on<axis>,
                  .applies = when<&axis_is_open<axis>>("scheduler.engine is one that leaves it open", "engine")});
}

inline constexpr Field policy_fields[] = {
    axis_field<"queue_order", &PolicyChoices::queue_order>("in which order requests wait; absent: the engine's own"),
    axis_field<"admission", &PolicyChoices::admission>(
        "when the head of the queue may start; absent: the engine's own"),
    axis_field<"victim", &PolicyChoices::victim>("who is evicted where no block is free; absent: the engine's own"),
    axis_field<"destination", &PolicyChoices::destination>("where a victim waits; absent: the engine's own"),
    axis_field<"kv_fate", &PolicyChoices::kv_fate>("what becomes of a victim's KV; absent: the engine's own"),
    axis_field<"after_eviction", &PolicyChoices::after_eviction>(
        "whether a pass that evicted admits somebody; absent: the engine's own"),
};

}  // namespace decodesim
