#pragma once
// The walk of the victim rules that must look at every running sequence.

#include "sim/serving/policy_axes.hpp"

namespace decodesim {

/// The running sequence that no other is a better victim than; of equal ones the first admitted. `better(a, b)`: is `a` a
/// better victim than `b`? One look at each running sequence, and only where somebody must be evicted.
template <class Better>
Sequence& first_best_of_running(const ReplicaView& view, const Better& better) {
  Sequence* best = view.first_admitted();
  for (Sequence* other = ReplicaView::admitted_after(*best); other != nullptr;
       other = ReplicaView::admitted_after(*other)) {
    if (better(*other, *best)) best = other;
  }
  return *best;
}

/// The same, but of equal ones the last admitted.
template <class Better>
Sequence& last_best_of_running(const ReplicaView& view, const Better& better) {
  Sequence* best = view.last_admitted();
  for (Sequence* other = ReplicaView::admitted_before(*best); other != nullptr;
       other = ReplicaView::admitted_before(*other)) {
    if (better(*other, *best)) best = other;
  }
  return *best;
}

}  // namespace decodesim
