#pragma once
// Which tokens a sequence consists of, as far as others can have the same. All that finds KV again tells tokens apart so.

#include <cstddef>
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

/// Tokens in their order, a span for each run that they are of, so that equal tokens make equal strings.
using TokenString = std::vector<TokenSpan>;

/// Reads the tokens of one request from the beginning: its content, then those of its own run. The salt is left out.
class TokenReader {
 public:
  /// The next tokens of one run, at least one and at most `most`.
  TokenSpan next_span(const Request& request, std::int64_t most) {
    while (run_ < request.content.size() && offset_ == request.content[run_].tokens) {
      ++run_;
      offset_ = 0;
    }
    TokenSpan span{own_run_key(request.index), offset_, most};
    if (run_ < request.content.size()) {
      const TokenRun& run = request.content[run_];
      span.key = run.key;
      span.tokens = most < run.tokens - offset_ ? most : run.tokens - offset_;
    }
    offset_ += span.tokens;
    return span;
  }
  TokenString next(const Request& request, std::int64_t tokens);

 private:
  std::size_t run_ = 0;  // of the content, or behind it
  std::int64_t offset_ = 0;
};

/// The first `tokens` tokens of a request. Requests with different salts share nothing.
TokenString tokens_of(const Request& request, std::int64_t tokens);
/// How many of a request's tokens other prompts may have too; all behind them are of its own run.
std::int64_t shareable_tokens(const Request& request);

/// The part of `string` from `begin` on, `tokens` of it.
TokenString part_of(const TokenString& string, std::int64_t begin, std::int64_t tokens);

/// How many tokens are the same in `a` from its token `from_a` on, and in `b` from `from_b` on.
std::int64_t common_tokens(const TokenString& a, std::int64_t from_a, const TokenString& b, std::int64_t from_b);

/// Orders strings as words are: by the first token that differs, and what ends earlier comes first. Tokens of a request's
/// own run come behind those of others, and else they are ordered by key and offset. Strings that begin alike stand
/// together.
struct TokenOrder {
  bool operator()(const TokenString& a, const TokenString& b) const;
};

}  // namespace decodesim
