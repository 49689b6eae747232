#pragma once
// When a field of `scheduler` has an effect: where the engine reads it.

#include "sim/core/field_of.hpp"
#include "sim/serving/policy_table.hpp"
#include "sim/serving/serving_spec.hpp"

namespace decodesim {

// Tokens times context of a step still fit 64 bits.
inline constexpr double most_tokens_of_a_step = 1e9;

/// A field that only some engines read: EngineRow::knobs lists it.
template <NameArgument knob>
bool knob_is_read(const SchedulerSpec& scheduler) {
  return engine_reads(scheduler.engine, knob.text);
}
template <NameArgument knob>
inline constexpr Applies where_read = when<&knob_is_read<knob>>("scheduler.engine is one that has it", "engine");

}  // namespace decodesim
