#include "sim/serving/prefix_chain.hpp"

#include <algorithm>

#include "sim/core/random.hpp"

namespace decodesim {

namespace {

// Tokens that only this request has are told by its index and their place in it.
constexpr std::uint64_t own_tokens = std::uint64_t{1} << 63;

/// `hash` and then `tokens` tokens from `offset` of the run `key`. Offsets and lengths have 31 bits at most.
std::uint64_t with(std::uint64_t hash, std::uint64_t key, std::int64_t offset, std::int64_t tokens,
                   std::uint64_t kind) {
  const std::uint64_t place = kind | static_cast<std::uint64_t>(offset) << 31 | static_cast<std::uint64_t>(tokens);
  return scrambled(scrambled(hash ^ key) ^ place);
}

}  // namespace

void PrefixChain::extend(const Request& request, std::int64_t block_size) {
  std::uint64_t hash = 0;
  if (!hashes_.empty()) {
    hash = hashes_.back();
  } else if (!request.cache_salt.empty()) {
    hash = stream_seed(0, request.cache_salt);
  }
  std::int64_t position = static_cast<std::int64_t>(hashes_.size()) * block_size;
  const std::int64_t end = position + block_size;
  // A stretch of tokens of one run at consecutive offsets is one step of the hash; where runs begin and end follows from
  // the tokens alone, so that equal tokens take equal steps.
  while (position < end && run_ < request.content.size()) {
    const TokenRun& run = request.content[run_];
    const std::int64_t offset = position - run_start_;
    const std::int64_t tokens = std::min(end - position, run.tokens - offset);
    hash = with(hash, run.key, offset, tokens, 0);
    position += tokens;
    if (offset + tokens < run.tokens) break;
    run_start_ += run.tokens;
    ++run_;
  }
  if (position < end)
    hash = with(hash, static_cast<std::uint64_t>(request.index), position, end - position, own_tokens);
  hashes_.push_back(hash != 0 ? hash : 1);
}

}  // namespace decodesim
