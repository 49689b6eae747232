#include "tests/support/plain_tokens.hpp"

namespace decodesim::tests {

std::vector<PlainToken> plain_tokens(const Request& request, std::int64_t count) {
  std::vector<PlainToken> tokens;
  for (const TokenRun& run : request.content) {
    for (std::int64_t i = 0; i < run.tokens; ++i) tokens.emplace_back(is_own_run_key(run.key), run.key, i);
  }
  for (std::int64_t i = 0; static_cast<std::int64_t>(tokens.size()) < count; ++i)
    tokens.emplace_back(true, own_run_key(request.index), i);
  tokens.resize(static_cast<std::size_t>(count));
  return tokens;
}

}  // namespace decodesim::tests
