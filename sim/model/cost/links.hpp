#pragma once
// What cost models that price collectives share.

#include <optional>

#include "sim/hardware/collectives.hpp"
#include "sim/model/cost_spec.hpp"

namespace decodesim::cost {

/// How the cost spec's choice narrows the algorithms of an all-reduce.
std::optional<AllReduceAlgorithm> only(AllReduceChoice choice);

}  // namespace decodesim::cost
