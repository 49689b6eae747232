#include "sim/serving/token_string.hpp"

#include <algorithm>
#include <cstddef>

#include "sim/core/random.hpp"

namespace decodesim {

namespace {

void append(TokenString& string, TokenSpan span) {
  if (span.tokens == 0) return;
  if (!string.empty()) {
    TokenSpan& last = string.back();
    if (last.key == span.key && last.offset + last.tokens == span.offset) {
      last.tokens += span.tokens;
      return;
    }
  }
  string.push_back(span);
}

/// A place within a string.
class Reader {
 public:
  Reader(const TokenString& string, std::int64_t token) : string_(string), within_(token) {
    while (!ended() && within_ >= string_[span_].tokens) within_ -= string_[span_++].tokens;
  }
  [[nodiscard]] bool ended() const { return span_ == string_.size(); }
  /// What is left of the span that it stands in.
  [[nodiscard]] TokenSpan rest() const {
    const TokenSpan& span = string_[span_];
    return {span.key, span.offset + within_, span.tokens - within_};
  }
  /// Goes on by so many tokens, at most the rest of the span.
  void advance(std::int64_t tokens) {
    within_ += tokens;
    if (within_ < string_[span_].tokens) return;
    within_ = 0;
    ++span_;
  }

 private:
  const TokenString& string_;
  std::size_t span_ = 0;
  std::int64_t within_;
};

}  // namespace

TokenString tokens_of(const Request& request, std::int64_t tokens) {
  const std::uint64_t salt = request.cache_salt.empty() ? 0 : stream_seed(0, request.cache_salt);
  TokenString string;
  for (const TokenRun& run : request.content) {
    const std::int64_t taken = std::min(run.tokens, tokens);
    append(string, {run.key ^ salt, 0, taken});
    tokens -= taken;
  }
  append(string, {own_run_key(request.index) ^ salt, 0, tokens});
  return string;
}

TokenString part_of(const TokenString& string, std::int64_t begin, std::int64_t tokens) {
  TokenString part;
  for (Reader reader(string, begin); tokens > 0 && !reader.ended();) {
    TokenSpan span = reader.rest();
    span.tokens = std::min(span.tokens, tokens);
    part.push_back(span);
    tokens -= span.tokens;
    reader.advance(span.tokens);
  }
  return part;
}

std::int64_t common_tokens(const TokenString& a, std::int64_t from_a, const TokenString& b, std::int64_t from_b) {
  std::int64_t same = 0;
  Reader left(a, from_a);
  Reader right(b, from_b);
  while (!left.ended() && !right.ended()) {
    const TokenSpan one = left.rest();
    const TokenSpan other = right.rest();
    if (one.key != other.key || one.offset != other.offset) break;
    const std::int64_t tokens = std::min(one.tokens, other.tokens);
    same += tokens;
    left.advance(tokens);
    right.advance(tokens);
  }
  return same;
}

}  // namespace decodesim
