#include "sim/serving/host_tier.hpp"

#include <algorithm>
#include <iterator>

namespace decodesim {

bool HostCache::store(std::uint64_t key) {
  if (has(key)) {
    touch(key);
    return false;
  }
  if (static_cast<std::int64_t>(by_use_.size()) == chunks_) {
    places_.erase(by_use_.front());
    by_use_.pop_front();
  }
  by_use_.push_back(key);
  places_[key] = std::prev(by_use_.end());
  return true;
}

HostTier::HostTier(const HostCacheConfig& config, std::int64_t block_size)
    : cache_(config.chunks), write_(config.write), block_size_(block_size), chunk_blocks_(config.chunk_blocks) {}

std::uint64_t HostTier::key(Sequence& sequence, std::int64_t chunk) const {
  const std::int64_t last_block = (chunk + 1) * chunk_blocks_ - 1;
  return sequence.chain.at(static_cast<std::size_t>(last_block), sequence.request, block_size_);
}

void HostTier::begin_pass() {
  for (const Pending& one : pending_) cache_.store(one.key);
  pending_.clear();
  stored_on_eviction_ = 0;
}

std::int64_t HostTier::find(Sequence& waiting, std::int64_t on_device) const {
  if (waiting.request.no_prefix_read) return on_device;
  const std::int64_t chunk_tokens = chunk_blocks_ * block_size_;
  const std::int64_t most = (waiting.known() - 1) / chunk_tokens;
  std::int64_t chunk = on_device / chunk_tokens;
  while (chunk < most && cache_.has(key(waiting, chunk))) ++chunk;
  return std::max(on_device, chunk * chunk_tokens);
}

void HostTier::use(Sequence& waiting, std::int64_t on_device, std::int64_t found) {
  const std::int64_t chunk_tokens = chunk_blocks_ * block_size_;
  if (found == on_device) return;
  for (std::int64_t chunk = found / chunk_tokens; chunk-- > on_device / chunk_tokens;)
    cache_.touch(key(waiting, chunk));
}

void HostTier::computed(Sequence& sequence, std::int64_t from, std::int64_t to) {
  if (write_ != HostWrite::through) return;
  const std::int64_t chunk_tokens = chunk_blocks_ * block_size_;
  for (std::int64_t chunk = to / chunk_tokens; chunk-- > from / chunk_tokens;)
    pending_.push_back({&sequence, key(sequence, chunk)});
}

void HostTier::taken_back(const Sequence& sequence) {
  std::erase_if(pending_, [&](const Pending& one) { return one.sequence == &sequence; });
}

void HostTier::evicted(std::uint64_t hash) {
  if (write_ == HostWrite::on_evict && cache_.store(hash)) stored_on_eviction_ += chunk_blocks_;
}

std::int64_t HostTier::blocks_stored() const {
  std::int64_t chunks = 0;
  for (std::size_t i = 0; i < pending_.size(); ++i) {
    const auto same = [&](const Pending& one) { return one.key == pending_[i].key; };
    const auto end = pending_.begin() + static_cast<std::ptrdiff_t>(i);
    // Two requests that compute the same chunk in one step store it once.
    if (!cache_.has(pending_[i].key) && std::none_of(pending_.begin(), end, same)) ++chunks;
  }
  return chunks * chunk_blocks_ + stored_on_eviction_;
}

}  // namespace decodesim
