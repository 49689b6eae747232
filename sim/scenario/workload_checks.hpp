#pragma once
// What must hold between the fields of a workload.

#include "sim/scenario/document.hpp"
#include "sim/scenario/reading.hpp"
#include "sim/scenario/scenario.hpp"

namespace decodesim {

/// Reports what contradicts itself in the workload, files that are not there, and lengths that meet the limit of a sequence
/// whatever is drawn. `tree` is that of the scenario.
void check_workload(Reading& reading, const DocumentNode& tree, const Scenario& scenario);

/// The same of what a generator draws: arrivals, lengths, prefixes, sessions and clients.
void check_generator(Reading& reading, const DocumentNode& tree, const Scenario& scenario);

}  // namespace decodesim
