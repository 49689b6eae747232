#pragma once
// The limits that clients state, as those of their SLO classes.

#include <map>
#include <string>

#include "sim/report/report_spec.hpp"
#include "sim/workload/workload_spec.hpp"

namespace decodesim {

/// The limits of each SLO class that some client states limits for; classes of which none does are not there. That clients of
/// one class do not contradict each other was checked when the scenario was loaded.
std::map<std::string, SloSpec> class_slos(const WorkloadSpec& workload);

}  // namespace decodesim
