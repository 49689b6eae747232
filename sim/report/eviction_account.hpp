#pragma once
// What evictions did: to one request, to a class or in a whole run. Accounts add up.

#include <array>
#include <cstdint>

#include "sim/core/time.hpp"
#include "sim/serving/observer.hpp"

namespace decodesim {

/// Time in which KV moved between the GPUs and their host.
struct TransferTime {
  Duration total{};
  Duration waited{};  // by how much steps were longer for it; the rest ran beside them

  [[nodiscard]] Duration overlapped() const { return total - waited; }
  TransferTime& operator+=(const TransferTime& other) {
    total += other.total;
    waited += other.waited;
    return *this;
  }
  friend bool operator==(const TransferTime&, const TransferTime&) = default;
};

struct EvictionAccount {
  static constexpr std::size_t reasons = eviction_reason_names.size();
  static constexpr std::size_t fates = kv_fate_names.size();

  std::int64_t preemptions = 0;
  std::array<std::int64_t, reasons> by_reason{};
  std::array<std::int64_t, fates> by_fate{};
  std::int64_t of_itself = 0;  // the victim was who needed the room
  std::int64_t blocks = 0;     // that became free
  std::array<std::int64_t, reasons> blocks_by_reason{};
  std::int64_t blocks_for_itself = 0;
  std::int64_t blocks_for_nobody = 0;   // in particular; what remains was for others
  std::int64_t free_before = 0;         // blocks, summed over the evictions, just before each
  std::int64_t discarded_tokens = 0;    // of KV that was lost
  std::int64_t swapped_out_tokens = 0;  // of KV that went to the host
  std::int64_t swapped_out_blocks = 0;  // the same in blocks, and those that came back
  std::int64_t swapped_in_blocks = 0;
  TransferTime transfers;               // its part of what that took
  std::int64_t found_again_tokens = 0;  // in place when victims came back, which saved computing them again
  std::int64_t recomputed_tokens = 0;
  Duration recompute_time{};
  Duration away{};  // between losing a place and having one again

  EvictionAccount& operator+=(const EvictionAccount& other);
  friend bool operator==(const EvictionAccount&, const EvictionAccount&) = default;

  /// One eviction more.
  void add(const EvictionFacts& eviction);
  /// One move to the host or back.
  void add(const SwapFacts& swap) { (swap.out ? swapped_out_blocks : swapped_in_blocks) += swap.blocks; }
};

}  // namespace decodesim
