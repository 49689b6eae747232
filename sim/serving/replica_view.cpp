#include "sim/serving/replica_view.hpp"

#include <algorithm>

namespace decodesim {

std::int64_t ReplicaView::found_in_place(const Sequence& waiting) const {
  const ServingSpec& serving = state_.config.serving;
  if (serving.prefill == PrefillMode::computed) return 0;
  const bool lost = waiting.preemptions > 0;
  if (lost && serving.after_preemption == AfterPreemption::recompute) return 0;
  // The last known token is always computed here: its logits are what the step is for.
  return std::min(waiting.request.input_tokens, waiting.known() - 1);
}

}  // namespace decodesim
