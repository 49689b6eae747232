#pragma once
// What the recorded cases of TensorRT-LLM's own tests write in their own way.

#include <string>
#include <vector>

#include "sim/workload/request.hpp"

namespace decodesim::tests {

/// Our name for the policies of a case.
std::string engine_of(const std::string& policy);
/// Token ids as the cases write them: "0..19,100..109". The same id is the same token in every prompt.
std::vector<TokenRun> content_of(const std::string& token_ids);

}  // namespace decodesim::tests
