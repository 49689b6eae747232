#include "sim/workload/content.hpp"

#include <algorithm>

#include "sim/core/check.hpp"
#include "sim/core/random.hpp"

namespace decodesim {

TokenRun prefix_of_group(std::string_view group, std::int64_t tokens) {
  return {stream_seed(0, group) | std::uint64_t{1} << 63, tokens};
}

void state_content(Request& request) {
  if (!request.prefix_group.empty() && request.content.empty()) {
    request.content.push_back(prefix_of_group(request.prefix_group, request.prefix_tokens));
  } else if (request.hash_block_size > 0) {
    std::int64_t left = request.input_tokens;
    for (TokenRun& run : request.content) {
      run.tokens = std::min(request.hash_block_size, left);
      left -= run.tokens;
    }
    request.hash_block_size = 0;
  }
  std::int64_t shared = 0;
  for (const TokenRun& run : request.content) {
    check(run.tokens >= 1, "a run of a prompt has tokens");
    shared += run.tokens;
  }
  check(shared <= request.input_tokens, "what a prompt begins with is part of it");
}

void continue_session(const Request& before, Request& turn) {
  if (!turn.content.empty()) return;
  std::int64_t own = before.input_tokens + before.output_tokens;
  for (const TokenRun& run : before.content) own -= run.tokens;
  std::int64_t left = turn.input_tokens;
  const auto begin_with = [&](TokenRun run) {
    run.tokens = std::min(run.tokens, left);
    left -= run.tokens;
    if (run.tokens > 0) turn.content.push_back(run);
  };
  for (const TokenRun& run : before.content) begin_with(run);
  begin_with({own_run_key(before.index), own});
}

}  // namespace decodesim
