#pragma once
// The fields of a scenario.

#include "sim/core/field.hpp"

namespace decodesim {

/// The sections of a Scenario, each with the table that stands beside its Spec. The tables are compiled once, in this file,
/// since every compilation of them all takes ten seconds.
extern const FieldTable scenario_fields;

}  // namespace decodesim
