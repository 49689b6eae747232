#pragma once
// The host tier for the plain stepper: a list of chunks, which are known by their tokens.

#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/plain_prefix_pool.hpp"

namespace decodesim::tests {

class PlainHostTier {
 public:
  explicit PlainHostTier(const ServerConfig& server);

  [[nodiscard]] bool on() const { return capacity_ > 0; }
  /// A pass begins: what the step before wrote is there.
  void begin_pass();
  /// Tokens in place from the beginning on, at least those on the device.
  [[nodiscard]] std::int64_t find(const PlainSequence& sequence, std::int64_t on_device) const;
  void use(const PlainSequence& sequence, std::int64_t on_device, std::int64_t found);
  void computed(const PlainSequence& sequence, std::int64_t from, std::int64_t to);
  void taken_back(const PlainSequence& sequence);
  /// The device hands out blocks that held this.
  void evicted(const std::vector<PlainPrefixPool::Key>& keys);
  [[nodiscard]] std::int64_t blocks_stored() const;

 private:
  [[nodiscard]] PlainPrefixPool::Key key_of(const PlainSequence& sequence, std::int64_t chunk) const;
  [[nodiscard]] bool has(const PlainPrefixPool::Key& key) const;
  /// Makes it the last used, in place of the one used longest ago where there is no room; true where it is new.
  bool put(const PlainPrefixPool::Key& key);

  std::int64_t capacity_;
  std::int64_t chunk_blocks_;
  std::int64_t chunk_tokens_;
  bool on_eviction_;
  std::deque<PlainPrefixPool::Key> chunks_;  // the one used longest ago first
  std::vector<std::pair<const PlainSequence*, PlainPrefixPool::Key>> pending_;
  std::int64_t stored_on_eviction_ = 0;
};

}  // namespace decodesim::tests
