#pragma once
// What speculation asks of a server.

#include "sim/scenario/document.hpp"
#include "sim/scenario/reading.hpp"
#include "sim/scenario/scenario.hpp"

namespace decodesim {

/// Reports `scheduler.speculative` where it is incomplete, or stands beside what cannot go with it.
void check_speculative(Reading& reading, const DocumentNode& tree, const Scenario& scenario);

}  // namespace decodesim
