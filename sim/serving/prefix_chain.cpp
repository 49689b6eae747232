#include "sim/serving/prefix_chain.hpp"

#include "sim/core/random.hpp"

namespace decodesim {

namespace {

/// `hash` and then the tokens of `span`. Offsets and lengths have 31 bits at most.
std::uint64_t with(std::uint64_t hash, const TokenSpan& span) {
  const std::uint64_t place = static_cast<std::uint64_t>(span.offset) << 31 | static_cast<std::uint64_t>(span.tokens);
  return scrambled(scrambled(hash ^ span.key) ^ place);
}

}  // namespace

void PrefixChain::extend(const Request& request, std::int64_t block_size) {
  std::uint64_t hash = 0;
  if (!hashes_.empty()) {
    hash = hashes_.back();
  } else if (!request.cache_salt.empty()) {
    hash = stream_seed(0, request.cache_salt);
  }
  // A span is one step of the hash; where spans begin and end follows from the tokens alone, so that equal tokens take
  // equal steps.
  for (std::int64_t left = block_size; left > 0;) {
    const TokenSpan span = reader_.next_span(request, left);
    hash = with(hash, span);
    left -= span.tokens;
  }
  hashes_.push_back(hash != 0 ? hash : 1);
}

}  // namespace decodesim
