#pragma once
// Servers and requests as the recorded tests about vLLM V1's scheduler give them.

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "sim/serving/server_config.hpp"
#include "sim/workload/request.hpp"
#include "tests/support/peer_cases.hpp"

namespace decodesim::tests {

/// Those tests count the blocks that requests can hold.
ServerConfig server_of(const json& inputs);

std::vector<Request> prompts(const json& lengths, std::int64_t output);

}  // namespace decodesim::tests
