#pragma once
// One case out of a scenario's, and what commands ask of it.

#include <string>
#include <vector>

#include "sim/scenario/scenario.hpp"

namespace decodesim {

/// The case of that name. Throws UsageError, which names those that there are.
Scenario case_named(std::vector<Scenario> scenarios, const std::string& name);

/// Throws UsageError for a case that is none of `known`, which may be none at all.
[[noreturn]] void refuse_case(const std::string& name, const std::vector<std::string>& known);

/// Throws UsageError where nobody can list the scenario's requests without playing it.
void need_end(const Scenario& scenario);

}  // namespace decodesim
