#include "tools/decodesim/cases.hpp"

#include <utility>

#include "sim/workload/request_source.hpp"
#include "tools/decodesim/options.hpp"

namespace decodesim {

Scenario case_named(std::vector<Scenario> scenarios, const std::string& name) {
  std::vector<std::string> known;
  for (Scenario& scenario : scenarios) {
    if (scenario.case_name == name) return std::move(scenario);
    if (!scenario.case_name.empty()) known.push_back(scenario.case_name);
  }
  refuse_case(name, known);
}

void refuse_case(const std::string& name, const std::vector<std::string>& known) {
  std::string list;
  for (const std::string& one : known) list += (list.empty() ? "" : ", ") + one;
  throw UsageError("there is no case '" + name + "'",
                   list.empty() ? "the scenario has no cases" : "its cases are " + list);
}

void need_end(const Scenario& scenario) {
  if (ends_by_itself(scenario.workload)) return;
  throw UsageError(
      "a closed loop with a duration alone asks as often as the server answers: its requests have no end of their own",
      "state workload.num_requests beside workload.duration");
}

}  // namespace decodesim
