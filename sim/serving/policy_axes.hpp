#pragma once
// The independent choices that an engine's scheduler is composed of. Each policy is one file in the folder of its axis
// and one row in policy_table.cpp. The order of the queue is an axis too: QueueOrder in waiting_queue.hpp.

#include <cstdint>

#include "sim/serving/replica_view.hpp"

namespace decodesim {

/// May the sequence at the head of the queue start now?
class AdmissionTest {
 public:
  virtual ~AdmissionTest() = default;
  /// `found` tokens are in place and `tokens` would be computed now; `spared` blocks must stay free, less those
  /// that it shares with others.
  [[nodiscard]] virtual bool admits(const ReplicaView& view, const Sequence& candidate, std::int64_t found,
                                    std::int64_t tokens, std::int64_t spared) const = 0;
  /// Would it ever admit this request, if nobody else were there?
  [[nodiscard]] virtual bool admits_alone(const ReplicaView&, const Request&) const { return true; }
  /// What tests that keep sums learn: who began to run, `whole` where its prompt ends in the same pass, and who runs no
  /// more.
  virtual void admitted(const Sequence&, bool whole) { (void)whole; }
  virtual void left(const Sequence&) {}
};

/// Who gives up its KV when `requester` finds too few free blocks?
class VictimChoice {
 public:
  virtual ~VictimChoice() = default;
  /// A running sequence; the requester itself is a valid answer.
  [[nodiscard]] virtual Sequence& choose(const ReplicaView& view, const Sequence& requester) const = 0;
};

/// What becomes of a victim's KV?
class FateChoice {
 public:
  virtual ~FateChoice() = default;
  /// `swapped` is a wish: where the host lacks room the KV is dropped after all.
  [[nodiscard]] virtual KvFate choose(const ReplicaView& view, const Sequence& victim) const = 0;
};

}  // namespace decodesim
