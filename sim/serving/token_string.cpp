#include "sim/serving/token_string.hpp"

#include <algorithm>
#include <tuple>

#include "sim/core/random.hpp"

namespace decodesim {

namespace {

/// A place within a string.
class Place {
 public:
  Place(const TokenString& string, std::int64_t token) : string_(string), within_(token) {
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

/// Takes both places to where their strings differ or one ends, and returns how many tokens that were.
std::int64_t advance_together(Place& a, Place& b) {
  std::int64_t same = 0;
  while (!a.ended() && !b.ended()) {
    const TokenSpan one = a.rest();
    const TokenSpan other = b.rest();
    if (one.key != other.key || one.offset != other.offset) break;
    const std::int64_t tokens = std::min(one.tokens, other.tokens);
    same += tokens;
    a.advance(tokens);
    b.advance(tokens);
  }
  return same;
}

}  // namespace

TokenString TokenReader::next(const Request& request, std::int64_t tokens) {
  TokenString string;
  while (tokens > 0) {
    string.push_back(next_span(request, tokens));
    tokens -= string.back().tokens;
  }
  return string;
}

TokenString tokens_of(const Request& request, std::int64_t tokens) {
  TokenString string = TokenReader().next(request, tokens);
  if (request.cache_salt.empty()) return string;
  const std::uint64_t salt = stream_seed(0, request.cache_salt);
  for (TokenSpan& span : string) span.key ^= salt;
  return string;
}

std::int64_t shareable_tokens(const Request& request) {
  std::int64_t tokens = 0;
  for (const TokenRun& run : request.content) tokens += run.tokens;
  return tokens;
}

TokenString part_of(const TokenString& string, std::int64_t begin, std::int64_t tokens) {
  TokenString part;
  for (Place place(string, begin); tokens > 0 && !place.ended();) {
    TokenSpan span = place.rest();
    span.tokens = std::min(span.tokens, tokens);
    part.push_back(span);
    tokens -= span.tokens;
    place.advance(span.tokens);
  }
  return part;
}

std::int64_t common_tokens(const TokenString& a, std::int64_t from_a, const TokenString& b, std::int64_t from_b) {
  Place left(a, from_a);
  Place right(b, from_b);
  return advance_together(left, right);
}

bool TokenOrder::operator()(const TokenString& a, const TokenString& b) const {
  Place left(a, 0);
  Place right(b, 0);
  advance_together(left, right);
  if (left.ended() || right.ended()) return left.ended() && !right.ended();
  const auto key = [](const TokenSpan& span) { return std::tuple(is_own_run_key(span.key), span.key, span.offset); };
  return key(left.rest()) < key(right.rest());
}

}  // namespace decodesim
