#pragma once
// What one step moved, computed and took, by kind; the parts add up.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "sim/core/quantity.hpp"
#include "sim/core/time.hpp"

namespace decodesim {

/// Where a step's bytes go, summed over all ranks.
enum class ByteKind { weights, kv_read, kv_write, activations, collective, host_transfer };
inline constexpr std::array<std::string_view, 6> byte_kind_names{"weights",     "kv_read",    "kv_write",
                                                                 "activations", "collective", "host_transfer"};

/// What a step's time is spent on. `linear` is all products of the layers, where a cost model does not tell `qkv`, `output`
/// and `feed_forward` apart; `norms` are all elementwise kernels; `sampling` is what each step needs between the layers of
/// one and those of the next; `draft` is spent by what proposes draft tokens, whatever its own parts are, and only where
/// there are any; `transfers` move KV between the GPUs and their host; `fixed` is the constant of the fixed cost model.
enum class TimePart {
  linear,
  qkv,
  attention,
  output,
  feed_forward,
  norms,
  lm_head,
  sampling,
  collectives,
  draft,
  transfers,
  host,
  fixed
};
inline constexpr std::array<std::string_view, 13> time_part_names{
    "linear",   "qkv",         "attention", "output",    "feed_forward", "norms", "lm_head",
    "sampling", "collectives", "draft",     "transfers", "host",         "fixed"};

/// What each of those parts waited for; `latency` is the least time that kernels take, whatever they do.
enum class BoundBy { bandwidth, compute, latency, collectives, transfers, host, fixed };
inline constexpr std::array<std::string_view, 7> bound_by_names{"bandwidth", "compute", "latency", "collectives",
                                                                "transfers", "host",    "fixed"};

/// The account of a step, or the sum of many. Each part's time is rounded once to whole nanoseconds, and a step lasts
/// their integer sum; seconds by what bound them add up to the same sum.
struct Ledger {
  std::array<Bytes, byte_kind_names.size()> bytes{};
  std::array<Duration, time_part_names.size()> time{};
  std::array<Duration, bound_by_names.size()> bound{};
  Duration hidden_host{};       // the host's time that ran beside the device; no part of the step's duration
  Duration hidden_transfers{};  // the same of transfers that ran beside the rest of the step
  Flops flops{};

  [[nodiscard]] Bytes& of(ByteKind kind) { return bytes[static_cast<std::size_t>(kind)]; }
  [[nodiscard]] Bytes of(ByteKind kind) const { return bytes[static_cast<std::size_t>(kind)]; }
  [[nodiscard]] Duration of(TimePart part) const { return time[static_cast<std::size_t>(part)]; }
  [[nodiscard]] Duration of(BoundBy reason) const { return bound[static_cast<std::size_t>(reason)]; }

  /// Books `duration` under a part and under what that part waited for, up to the longest price of a part. Many kernels, or
  /// many passes that draft, are one part, and each may be priced at the longest.
  void spend(TimePart part, BoundBy reason, Duration duration) {
    Duration& own = time[static_cast<std::size_t>(part)];
    const Duration booked = std::min(duration, price_max - own);
    own += booked;
    bound[static_cast<std::size_t>(reason)] += booked;
  }

  /// The host works beside the device: only what it takes longer still counts, and the step lasts the longer of the two.
  void hide_host() {
    const Duration host = of(TimePart::host);
    const Duration hidden = std::min(host, duration() - host);
    spend(TimePart::host, BoundBy::host, -hidden);
    hidden_host += hidden;
  }

  /// Transfers come last: those that run beside the rest of the step count with what they take longer than it.
  void spend_transfers(Duration transfers, bool beside_step) {
    const Duration hidden = beside_step ? std::min(transfers, duration()) : Duration{};
    spend(TimePart::transfers, BoundBy::transfers, transfers - hidden);
    hidden_transfers += hidden;
  }

  [[nodiscard]] Duration duration() const {
    Duration sum{};
    for (Duration part : time) sum += part;
    return sum;
  }
  [[nodiscard]] Bytes total_bytes() const {
    Bytes sum{};
    for (Bytes part : bytes) sum += part;
    return sum;
  }

  Ledger& operator+=(const Ledger& other) {
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] += other.bytes[i];
    for (std::size_t i = 0; i < time.size(); ++i) time[i] += other.time[i];
    for (std::size_t i = 0; i < bound.size(); ++i) bound[i] += other.bound[i];
    hidden_host += other.hidden_host;
    hidden_transfers += other.hidden_transfers;
    flops += other.flops;
    return *this;
  }
};

}  // namespace decodesim
