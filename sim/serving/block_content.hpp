#pragma once
// Which tokens stand in a block, so that two blocks can be told equal, or equal up to a point.

#include <cstdint>
#include <vector>

#include "sim/workload/request.hpp"

namespace decodesim {

/// Consecutive tokens of one run that prompts share, or of what only one request has.
struct ContentSpan {
  bool own = false;
  std::uint64_t key = 0;  // of the run; of own tokens the request's index
  std::int64_t offset = 0;
  std::int64_t tokens = 0;

  friend bool operator==(const ContentSpan&, const ContentSpan&) = default;
};
/// Spans that continue each other are one, so equal tokens make equal contents.
using BlockContent = std::vector<ContentSpan>;

std::int64_t tokens_of(const BlockContent& content);
/// How many tokens both begin with.
std::int64_t shared_tokens(const BlockContent& a, const BlockContent& b);
/// The first `tokens` of it.
BlockContent first_tokens(const BlockContent& content, std::int64_t tokens);

/// Orders contents as words are: by the first token that differs, and what ends earlier comes first. Contents that begin
/// alike stand together.
struct ContentOrder {
  bool operator()(const BlockContent& a, const BlockContent& b) const;
};

/// Reads the tokens of a request from the beginning: its shared runs, then its own prompt and output.
class ContentReader {
 public:
  explicit ContentReader(const Request& request) : request_(&request) {}
  BlockContent next(std::int64_t tokens);
  /// Tokens that other prompts may have too; all behind them are the request's own.
  [[nodiscard]] static std::int64_t shareable(const Request& request);

 private:
  const Request* request_;
  std::size_t run_ = 0;
  std::int64_t in_run_ = 0;
  std::int64_t position_ = 0;
};

}  // namespace decodesim
