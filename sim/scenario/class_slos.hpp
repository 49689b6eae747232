#pragma once
// The limits of SLO classes that have their own.

#include <map>
#include <string>

#include "sim/report/report_spec.hpp"
#include "sim/workload/workload_spec.hpp"

namespace decodesim {

/// The limits of each SLO class that `slo` or a client states limits for; classes of which none does are not there. That they do
/// not contradict each other was checked when the scenario was loaded.
std::map<std::string, SloSpec> class_slos(const SloSpec& slo, const WorkloadSpec& workload);

}  // namespace decodesim
