#pragma once
// Decoding sequences that may need a block, in order of admission.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sim/serving/lock_step.hpp"

namespace decodesim {

/// A walk over the members of the cohort that need a block for one of the next `slots` tokens, or took it when an earlier
/// step came that near: a merge of as many boundary lists, one where nothing is drafted. Members that leave the cohort
/// meanwhile are passed before they do.
class BoundaryWalk {
 public:
  void begin(const LockStep& cohort, std::int64_t slots, std::int64_t block_size) {
    heads_.clear();
    for (std::int64_t ahead = 0; ahead < std::min(slots, block_size); ++ahead) {
      Sequence* first = cohort.at_boundary_after(ahead).front();
      if (first != nullptr) heads_.push_back(first);
    }
  }
  void end() { heads_.clear(); }

  /// The first that is left, or nothing.
  [[nodiscard]] Sequence* next() const {
    const auto earlier = [](const Sequence* a, const Sequence* b) { return a->order < b->order; };
    const auto first = std::min_element(heads_.begin(), heads_.end(), earlier);
    return first == heads_.end() ? nullptr : *first;
  }
  /// Goes on behind `member` where it is the next of its list.
  void pass(const Sequence& member) {
    const auto head = std::find(heads_.begin(), heads_.end(), &member);
    if (head == heads_.end()) return;
    *head = LockStep::BoundaryList::after(member);
    if (*head == nullptr) heads_.erase(head);
  }
  /// Gives their blocks to those who were admitted before `other`, all where that is nobody. The first that `give` says it
  /// has none for is returned.
  template <class Give>
  [[nodiscard]] Sequence* give_before(const Sequence* other, const Give& give) {
    for (;;) {
      Sequence* member = next();
      if (member == nullptr || (other != nullptr && other->order < member->order)) return nullptr;
      pass(*member);
      if (!give(*member)) return member;
    }
  }

 private:
  std::vector<Sequence*> heads_;  // of what is left of each list
};

}  // namespace decodesim
