#pragma once
// Which tokens a sequence consists of, as far as others can have the same.

#include <cstdint>
#include <vector>

#include "sim/workload/request.hpp"

namespace decodesim {

/// Consecutive tokens of a run: those at `offset` and behind it.
struct TokenSpan {
  std::uint64_t key = 0;
  std::int64_t offset = 0;
  std::int64_t tokens = 0;

  friend bool operator==(const TokenSpan&, const TokenSpan&) = default;
};

/// Tokens in their order. Neighbours that continue each other are one span.
using TokenString = std::vector<TokenSpan>;

/// The first `tokens` tokens of a request: what its prompt begins with, then its own. Requests with different salts share
/// nothing.
TokenString tokens_of(const Request& request, std::int64_t tokens);

/// The part of `string` from `begin` on, `tokens` of it.
TokenString part_of(const TokenString& string, std::int64_t begin, std::int64_t tokens);

/// How many tokens are the same in `a` from its token `from_a` on, and in `b` from `from_b` on.
std::int64_t common_tokens(const TokenString& a, std::int64_t from_a, const TokenString& b, std::int64_t from_b);

}  // namespace decodesim
