#pragma once
// Speculation written out: how many tokens each step yields, and the slots it asks for.

#include <algorithm>
#include <cstdint>

#include "sim/serving/server_config.hpp"

namespace decodesim::tests {

/// Tokens that every decoding sequence gets in the n-th step (from 1) in which any of them decodes: the whole part of n
/// means less that of n - 1 means. The mean is 1 + a1 + a1*a2 + ... in billionths of a token.
inline std::int64_t plain_gain(const ServerConfig& server, std::int64_t n) {
  const SpeculativeSpec& speculative = server.scheduler.speculative;
  double mean = 1;
  for (std::int64_t drafts = 1; drafts <= speculative.draft_tokens; ++drafts) {
    double all_accepted = 1;
    for (std::int64_t i = 0; i < drafts; ++i) {
      all_accepted *= speculative.acceptance_by_position.empty()
                          ? *speculative.acceptance
                          : speculative.acceptance_by_position.at(static_cast<std::size_t>(i));
    }
    mean += all_accepted;
  }
  const auto billionths = static_cast<std::int64_t>(mean * 1e9 + 0.5);
  return n * billionths / 1'000'000'000 - (n - 1) * billionths / 1'000'000'000;
}

/// Slots that a decoding sequence must have in a step: for its cached tokens, the newest and the drafts that are verified;
/// and for those that are proposed meanwhile, where they have KV before they are verified.
inline std::int64_t plain_slots(const ServerConfig& server, std::int64_t cached) {
  const SpeculativeSpec& speculative = server.scheduler.speculative;
  std::int64_t slots = cached + 1 + speculative.draft_tokens;
  if (speculative.draft != DraftKind::ngram) slots += speculative.draft_tokens;
  return std::min(slots, server.max_model_len);
}

}  // namespace decodesim::tests
