#pragma once
// What no step can pass, whatever a cost model says of it.

#include "sim/model/ledger.hpp"

namespace decodesim {

/// The datasheet's bandwidth and the highest of its peaks, of all ranks together; zero where a run has no machine.
struct PhysicalBound {
  BytesPerSecond bandwidth;
  FlopsPerSecond peak;

  /// Whether a step's bytes go through the GPUs' memory, and its operations through their units, in its time. Each part
  /// of a step is rounded to whole nanoseconds, so it may be short of as many.
  [[nodiscard]] bool allows(const Ledger& account) const {
    const Seconds time(to_seconds(account.duration() + Duration(account.time.size() * account.bound.size())));
    const Bytes memory = account.total_bytes() - account.of(ByteKind::collective) - account.of(ByteKind::host_transfer);
    return (!(bandwidth.value() > 0) || memory / bandwidth <= time) &&
           (!(peak.value() > 0) || account.flops / peak <= time);
  }
};

}  // namespace decodesim
