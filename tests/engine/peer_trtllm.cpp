#include "tests/engine/peer_trtllm.hpp"

#include <sstream>

namespace decodesim::tests {

std::string engine_of(const std::string& policy) {
  if (policy == "trtllm-max-util") return "trtllm-max-utilization";
  if (policy == "trtllm-static") return "trtllm-static-batch";
  return "trtllm-guaranteed-no-evict";
}

std::vector<TokenRun> content_of(const std::string& token_ids) {
  std::vector<TokenRun> content;
  std::istringstream parts(token_ids);
  for (std::string part; std::getline(parts, part, ',');) {
    const std::size_t dots = part.find("..");
    const std::uint64_t first = std::stoull(part);
    const std::uint64_t last = dots == std::string::npos ? first : std::stoull(part.substr(dots + 2));
    for (std::uint64_t id = first; id <= last; ++id) content.push_back({id, 1});
  }
  return content;
}

}  // namespace decodesim::tests
