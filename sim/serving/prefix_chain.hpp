#pragma once
// What the full blocks of one sequence hold, as a chain of hashes.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/serving/token_string.hpp"

namespace decodesim {

/// The hash of a block covers the cache salt, its own tokens and all tokens before them, so that equal hashes stand for
/// equal KV. Each is computed once, from the one before, and kept while the sequence waits or runs.
///
/// Hashes have 64 bits. That two of n different blocks share one has odds of about n^2 / 2^65: 3 in 10^8 for a million
/// blocks and 3 in 100 for a billion. It would let a request find some tokens that are not its own.
class PrefixChain {
 public:
  /// Of the full block `block` of this request; never 0.
  std::uint64_t at(std::size_t block, const Request& request, std::int64_t block_size) {
    return first(block + 1, request, block_size).back();
  }

  /// Of its first `blocks` full blocks.
  std::span<const std::uint64_t> first(std::size_t blocks, const Request& request, std::int64_t block_size) {
    while (hashes_.size() < blocks) extend(request, block_size);
    return std::span(hashes_).first(blocks);
  }

  /// For another request.
  void clear() {
    hashes_.clear();
    reader_ = {};
  }

 private:
  void extend(const Request& request, std::int64_t block_size);

  std::vector<std::uint64_t> hashes_;
  TokenReader reader_;  // where the next block begins
};

}  // namespace decodesim
