#include "tools/decodesim/cases.hpp"

#include <utility>

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

}  // namespace decodesim
