#pragma once
// What must hold between the limits of SLO classes and the workload.

#include "sim/scenario/document.hpp"
#include "sim/scenario/reading.hpp"
#include "sim/scenario/scenario.hpp"

namespace decodesim {

/// Reports classes whose limits are stated twice and differently, classes without a limit, and limits of classes that no
/// request of the workload is of. Which classes a trace has is seen only when it is played.
void check_class_slos(Reading& reading, const DocumentNode& tree, const Scenario& scenario);

}  // namespace decodesim
