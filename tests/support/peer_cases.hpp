#pragma once
// Cases of the tests of real engines and of other simulators, as they are recorded beside the repository.

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace decodesim::tests {

using nlohmann::json;

/// All cases whose system begins so, or nothing where the file is absent.
std::optional<std::vector<json>> peer_cases(const std::string& system);
/// The case of this id, or nothing where the file is absent; throws std::out_of_range where it has no such case.
std::optional<json> peer_case(const std::string& id);

}  // namespace decodesim::tests
