#pragma once
// KV that waiting sequences load while others run: from elsewhere, or from the host tier.

#include <cstdint>
#include <vector>

#include "sim/serving/draft.hpp"
#include "sim/serving/replica_view.hpp"

namespace decodesim {

/// What a scheduler knows of loads. A sequence that loads holds its blocks, is not preempted and takes no place among the
/// running. Planned ahead, a pass knows of the loads that had ended when the pass before it was planned.
class KvLoads {
 public:
  explicit KvLoads(bool planned_ahead) : planned_ahead_(planned_ahead) {}

  /// A pass begins.
  void begin_pass(const ReplicaView& view, Draft& draft);
  /// `sequence` begins to load in this pass, so the next one is the first that can know of its end.
  void began(const Sequence& sequence) { began_.push_back(&sequence); }
  /// The sequence to admit next among those that load: the first whose KV is known to be there. Nothing: there is none.
  [[nodiscard]] Sequence* next(const ReplicaView& view) const;
  /// Blocks that prompts under way and those that load still need to hold all their tokens. A load leaves them free, or two
  /// of them could wait for each other's rest for ever.
  [[nodiscard]] static std::int64_t set_aside(const ReplicaView& view);
  /// When a load from the host ends that begins now: they follow one another.
  [[nodiscard]] Time end_from_host(const ReplicaView& view, std::int64_t blocks);

 private:
  bool planned_ahead_;
  Time known_until_{};
  Time last_pass_{};
  Time host_is_free_{};
  std::vector<const Sequence*> began_;  // in this pass
};

}  // namespace decodesim
