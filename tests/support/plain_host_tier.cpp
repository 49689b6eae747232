#include "tests/support/plain_host_tier.hpp"

#include <algorithm>
#include <set>

namespace decodesim::tests {

PlainHostTier::PlainHostTier(const ServerConfig& server)
    : capacity_(server.host_cache.chunks),
      chunk_blocks_(server.host_cache.chunk_blocks),
      chunk_tokens_(server.host_cache.chunk_blocks * server.block_size),
      on_eviction_(server.host_cache.write == HostWrite::on_evict) {}

PlainPrefixPool::Key PlainHostTier::key_of(const PlainSequence& sequence, std::int64_t chunk) const {
  return {sequence.request->cache_salt, plain_tokens(*sequence.request, (chunk + 1) * chunk_tokens_)};
}

bool PlainHostTier::has(const PlainPrefixPool::Key& key) const {
  return std::find(chunks_.begin(), chunks_.end(), key) != chunks_.end();
}

bool PlainHostTier::put(const PlainPrefixPool::Key& key) {
  const bool fresh = !has(key);
  if (!fresh) chunks_.erase(std::find(chunks_.begin(), chunks_.end(), key));
  if (fresh && static_cast<std::int64_t>(chunks_.size()) == capacity_) chunks_.pop_front();
  chunks_.push_back(key);
  return fresh;
}

void PlainHostTier::begin_pass() {
  for (const auto& [sequence, key] : pending_) put(key);
  pending_.clear();
  stored_on_eviction_ = 0;
}

std::int64_t PlainHostTier::find(const PlainSequence& sequence, std::int64_t on_device) const {
  if (!on() || sequence.request->no_prefix_read) return on_device;
  std::int64_t found = on_device;
  for (std::int64_t chunk = 0; (chunk + 1) * chunk_tokens_ < sequence.known(); ++chunk) {
    if ((chunk + 1) * chunk_tokens_ <= on_device) continue;  // the device has all of it
    if (!has(key_of(sequence, chunk))) break;
    found = (chunk + 1) * chunk_tokens_;
  }
  return found;
}

void PlainHostTier::use(const PlainSequence& sequence, std::int64_t on_device, std::int64_t found) {
  if (found == on_device) return;
  // The last first, so that the first becomes the last used.
  for (std::int64_t chunk = found / chunk_tokens_ - 1; (chunk + 1) * chunk_tokens_ > on_device && chunk >= 0; --chunk)
    put(key_of(sequence, chunk));
}

void PlainHostTier::computed(const PlainSequence& sequence, std::int64_t from, std::int64_t to) {
  if (!on() || on_eviction_) return;
  for (std::int64_t chunk = to / chunk_tokens_ - 1; (chunk + 1) * chunk_tokens_ > from && chunk >= 0; --chunk)
    pending_.emplace_back(&sequence, key_of(sequence, chunk));
}

void PlainHostTier::taken_back(const PlainSequence& sequence) {
  std::erase_if(pending_, [&](const auto& one) { return one.first == &sequence; });
}

void PlainHostTier::evicted(const std::vector<PlainPrefixPool::Key>& keys) {
  if (!on() || !on_eviction_) return;
  for (const PlainPrefixPool::Key& key : keys) stored_on_eviction_ += put(key) ? chunk_blocks_ : 0;
}

std::int64_t PlainHostTier::blocks_stored() const {
  std::set<PlainPrefixPool::Key> fresh;
  for (const auto& [sequence, key] : pending_) {
    if (!has(key)) fresh.insert(key);
  }
  return static_cast<std::int64_t>(fresh.size()) * chunk_blocks_ + stored_on_eviction_;
}

}  // namespace decodesim::tests
