#pragma once
// Cases of TensorRT-LLM's own tests, as they are recorded beside the repository.

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sim/workload/request.hpp"

namespace decodesim::tests {

using nlohmann::json;

/// All cases whose system begins so, or nothing where the file is absent.
std::optional<std::vector<json>> peer_cases(const std::string& system);
/// The case of this id, or nothing where the file is absent.
std::optional<json> peer_case(const std::string& id);

/// Our name for the policies of a case.
std::string engine_of(const std::string& policy);
/// Token ids as the cases write them: "0..19,100..109". The same id is the same token in every prompt.
std::vector<TokenRun> content_of(const std::string& token_ids);

}  // namespace decodesim::tests
