#include "sim/serving/block_content.hpp"

#include <algorithm>
#include <tuple>

namespace decodesim {

namespace {

bool begin_alike(const ContentSpan& a, const ContentSpan& b) {
  return a.own == b.own && a.key == b.key && a.offset == b.offset;
}

ContentSpan rest_of(ContentSpan span, std::int64_t taken) {
  span.offset += taken;
  span.tokens -= taken;
  return span;
}

/// Where two contents part: the rest of each from there, empty at its end, and the tokens before.
struct Parting {
  ContentSpan a;
  ContentSpan b;
  std::int64_t shared = 0;
};

Parting part(const BlockContent& a, const BlockContent& b) {
  Parting at;
  std::size_t i = 0;
  std::size_t j = 0;
  if (!a.empty()) at.a = a[i++];
  if (!b.empty()) at.b = b[j++];
  while (at.a.tokens > 0 && at.b.tokens > 0 && begin_alike(at.a, at.b)) {
    const std::int64_t both = std::min(at.a.tokens, at.b.tokens);
    at.shared += both;
    at.a = rest_of(at.a, both);
    at.b = rest_of(at.b, both);
    if (at.a.tokens == 0 && i < a.size()) at.a = a[i++];
    if (at.b.tokens == 0 && j < b.size()) at.b = b[j++];
  }
  return at;
}

void append(BlockContent& content, const ContentSpan& span) {
  if (!content.empty()) {
    ContentSpan& last = content.back();
    if (last.own == span.own && last.key == span.key && last.offset + last.tokens == span.offset) {
      last.tokens += span.tokens;
      return;
    }
  }
  content.push_back(span);
}

}  // namespace

std::int64_t tokens_of(const BlockContent& content) {
  std::int64_t tokens = 0;
  for (const ContentSpan& span : content) tokens += span.tokens;
  return tokens;
}

std::int64_t shared_tokens(const BlockContent& a, const BlockContent& b) { return part(a, b).shared; }

BlockContent first_tokens(const BlockContent& content, std::int64_t tokens) {
  BlockContent first;
  for (ContentSpan span : content) {
    span.tokens = std::min(span.tokens, tokens);
    if (span.tokens == 0) break;
    tokens -= span.tokens;
    first.push_back(span);
  }
  return first;
}

bool ContentOrder::operator()(const BlockContent& a, const BlockContent& b) const {
  const Parting at = part(a, b);
  if (at.a.tokens == 0 || at.b.tokens == 0) return at.a.tokens == 0 && at.b.tokens > 0;
  return std::tie(at.a.own, at.a.key, at.a.offset) < std::tie(at.b.own, at.b.key, at.b.offset);
}

BlockContent ContentReader::next(std::int64_t tokens) {
  BlockContent content;
  while (tokens > 0 && run_ < request_->content.size()) {
    const TokenRun& run = request_->content[run_];
    const std::int64_t taken = std::min(tokens, run.tokens - in_run_);
    append(content, {false, run.key, in_run_, taken});
    tokens -= taken;
    position_ += taken;
    in_run_ += taken;
    if (in_run_ == run.tokens) {
      ++run_;
      in_run_ = 0;
    }
  }
  if (tokens > 0) {
    append(content, {true, static_cast<std::uint64_t>(request_->index), position_, tokens});
    position_ += tokens;
  }
  return content;
}

std::int64_t ContentReader::shareable(const Request& request) {
  std::int64_t tokens = 0;
  for (const TokenRun& run : request.content) tokens += run.tokens;
  return tokens;
}

}  // namespace decodesim
