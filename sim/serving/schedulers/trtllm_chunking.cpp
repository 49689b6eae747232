#include "sim/serving/schedulers/trtllm_chunking.hpp"

#include <algorithm>

namespace decodesim {

std::vector<ChunkShare> first_come_first_served_chunks(const std::vector<ContextLeft>& contexts,
                                                       const ChunkLimits& limits) {
  std::vector<ChunkShare> shares;
  std::optional<std::int64_t> left = limits.capacity;
  for (const ContextLeft& context : contexts) {
    const std::int64_t cost = context.remaining - context.reusable;
    ChunkShare share{context.remaining, 0};
    // A prompt whose cost does not fit is cut to what is left, as if nothing of it could be reused.
    if (left && cost > *left) share.chunk = *left;
    if (limits.max_context_length && share.chunk - context.reusable > *limits.max_context_length) {
      share.chunk = std::min(context.reusable + *limits.max_context_length, context.remaining);
    }
    if (share.chunk != context.remaining) share.chunk = share.chunk / limits.unit * limits.unit;
    share.computed = std::min(share.chunk, cost);
    if (limits.max_context_length) share.computed = std::min(share.computed, *limits.max_context_length);
    if (left) *left -= share.computed;
    shares.push_back(share);
  }
  return shares;
}

std::vector<ChunkShare> equal_progress_chunks(const std::vector<ContextLeft>& contexts, const ChunkLimits& limits) {
  std::vector<ChunkShare> shares(contexts.size());
  std::int64_t total = 0;
  bool progress = true;
  while (progress && (!limits.capacity || total < *limits.capacity)) {
    progress = false;
    for (std::size_t i = 0; i < contexts.size(); ++i) {
      ChunkShare& share = shares[i];
      const std::int64_t chunk = std::min(share.chunk + limits.unit, contexts[i].remaining);
      const std::int64_t computed = std::max<std::int64_t>(0, chunk - contexts[i].reusable);
      if (limits.capacity && total + computed - share.computed > *limits.capacity) continue;
      if (limits.max_context_length && computed > *limits.max_context_length) continue;
      if (chunk == share.chunk) continue;
      progress = true;
      total += computed - share.computed;
      share = {chunk, computed};
    }
  }
  return shares;
}

std::vector<ChunkShare> forced_chunks(const std::vector<ContextLeft>& contexts, const ChunkLimits& limits) {
  std::vector<ChunkShare> shares;
  std::int64_t total = 0;
  for (const ContextLeft& context : contexts) {
    std::int64_t chunk = std::min(context.remaining, limits.unit);
    if (limits.capacity && total + chunk > *limits.capacity) chunk = 0;
    total += chunk;
    shares.push_back({chunk, chunk});
  }
  return shares;
}

}  // namespace decodesim
