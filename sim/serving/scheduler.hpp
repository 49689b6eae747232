#pragma once
// Decides what a replica does next.

#include "sim/serving/draft.hpp"
#include "sim/serving/replica_view.hpp"

namespace decodesim {

/// Plans one pass: looks at `view`, decides through `draft`, keeps nothing of either. The same state always gets the
/// same plan.
class Scheduler {
 public:
  virtual ~Scheduler() = default;
  virtual void plan(const ReplicaView& view, Draft& draft) = 0;
};

}  // namespace decodesim
