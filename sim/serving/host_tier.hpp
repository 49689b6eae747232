#pragma once
// Host memory that keeps computed KV, so that a request finds what the device has forgotten.

#include <cstdint>
#include <list>
#include <unordered_map>
#include <vector>

#include "sim/serving/sequence.hpp"
#include "sim/serving/server_config.hpp"

namespace decodesim {

/// Chunks of KV by the hash of their last block, the one used longest ago first to go. Its order is that of its list
/// alone; the table only finds places in it.
class HostCache {
 public:
  /// Room for so many chunks.
  explicit HostCache(std::int64_t chunks) : chunks_(chunks) {}

  [[nodiscard]] bool has(std::uint64_t key) const { return places_.count(key) > 0; }
  /// Makes a chunk that is there the one used last.
  void touch(std::uint64_t key) { by_use_.splice(by_use_.end(), by_use_, places_.at(key)); }
  /// Stores a chunk as the one used last, in place of the one used longest ago where there is no room. False where it is
  /// there already; then it is only touched.
  bool store(std::uint64_t key);

 private:
  std::int64_t chunks_;
  std::list<std::uint64_t> by_use_;
  std::unordered_map<std::uint64_t, std::list<std::uint64_t>::iterator> places_;
};

/// The host tier of an engine. A chunk is a fixed number of blocks from the beginning of a sequence on; what does not fill
/// one is not kept. Its beginnings are used later than its ends, so that they survive longer.
///
/// Written through, a chunk is stored at the end of the step whose prompt tokens fill it; what decoding fills is not
/// stored. Written on eviction, a block is stored as it is handed out to somebody else on the device.
class HostTier {
 public:
  HostTier(const HostCacheConfig& config, std::int64_t block_size);

  [[nodiscard]] bool writes_on_eviction() const { return write_ == HostWrite::on_evict; }
  /// Chunks of the pass before are there now.
  void begin_pass();
  /// How many known tokens of a waiting sequence lie in place, on the device (`on_device`) or here, from its beginning
  /// without a gap. The last known token is never among them. The device's copy goes first.
  [[nodiscard]] std::int64_t find(Sequence& waiting, std::int64_t on_device) const;
  /// The tokens up to `found` are used, of which `on_device` are not from here.
  void use(Sequence& waiting, std::int64_t on_device, std::int64_t found);
  /// The pass computes these tokens of a prompt.
  void computed(Sequence& sequence, std::int64_t from, std::int64_t to);
  /// It does not after all.
  void taken_back(const Sequence& sequence);
  /// The device hands out a block that had this hash.
  void evicted(std::uint64_t hash);
  /// Blocks that this pass moves here.
  [[nodiscard]] std::int64_t blocks_stored() const;

 private:
  struct Pending {
    const Sequence* sequence;
    std::uint64_t key;
  };
  [[nodiscard]] std::uint64_t key(Sequence& sequence, std::int64_t chunk) const;

  HostCache cache_;
  HostWrite write_;
  std::int64_t block_size_;
  std::int64_t chunk_blocks_;
  std::vector<Pending> pending_;  // of this pass, the ends of each sequence's first
  std::int64_t stored_on_eviction_ = 0;
};

}  // namespace decodesim
