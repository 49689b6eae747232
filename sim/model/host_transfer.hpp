#pragma once
// What it takes to move KV blocks between the GPUs and their host.

#include <cstdint>

#include "sim/core/quantity.hpp"
#include "sim/core/time.hpp"

namespace decodesim {

/// All ranks move their part of a block at once, each over its own path: the time is that of one rank, the bytes are
/// those of all.
struct HostTransfer {
  Bytes block_bytes;                // one block on one rank
  std::int64_t block_messages = 0;  // contiguous pieces of a block on one rank
  int ranks = 1;
  BytesPerSecond bandwidth;  // of a rank's path, per direction; 0: transfers take no time
  Seconds setup;             // of a step's transfers in one direction
  Seconds per_message;
  bool beside_step = false;  // transfers run beside the rest of their step, which waits only for what they take longer

  /// setup + messages x per_message + bytes / bandwidth, for blocks in one direction; nothing for none.
  [[nodiscard]] Duration time(std::int64_t blocks) const {
    if (blocks == 0 || !(bandwidth.value() > 0)) return {};
    const auto count = static_cast<double>(blocks);
    return to_duration(setup + per_message * (count * static_cast<double>(block_messages)) +
                       block_bytes * count / bandwidth);
  }
  [[nodiscard]] Bytes bytes(std::int64_t blocks) const {
    return block_bytes * (static_cast<double>(blocks) * static_cast<double>(ranks));
  }
};

}  // namespace decodesim
