#include "tools/decodesim/cases.hpp"

#include <utility>

#include "sim/workload/request_source.hpp"
#include "tools/decodesim/options.hpp"

namespace decodesim {

Scenario case_named(std::vector<Scenario> scenarios, const std::string& name) {
  std::string known;
  for (Scenario& scenario : scenarios) {
    if (scenario.case_name == name) return std::move(scenario);
    known += (known.empty() ? "" : ", ") + scenario.case_name;
  }
  throw UsageError("there is no case '" + name + "'",
                   known.empty() ? "the scenario has no cases" : "its cases are " + known);
}

void need_end(const Scenario& scenario) {
  if (ends_by_itself(scenario.workload)) return;
  throw UsageError(
      "a closed loop with a duration alone asks as often as the server answers: its requests have no end of their own",
      "state workload.num_requests beside workload.duration");
}

}  // namespace decodesim
