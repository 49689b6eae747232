// Earliest deadline first; those without one come last. Of equal ones the first that came.

#include "sim/serving/policy_factories.hpp"

namespace decodesim {

namespace {
class EarliestDeadline final : public QueueOrder {
 public:
  bool before(const Sequence& a, const Sequence& b) const override {
    const Request& one = a.request;
    const Request& other = b.request;
    if (one.deadline.has_value() != other.deadline.has_value()) return one.deadline.has_value();
    if (one.deadline) {
      const Time due = one.arrival + *one.deadline;
      const Time other_due = other.arrival + *other.deadline;
      if (due != other_due) return due < other_due;
    }
    return one.index < other.index;
  }
};
}  // namespace

std::unique_ptr<QueueOrder> make_deadline_order(const ServerConfig&) { return std::make_unique<EarliestDeadline>(); }

}  // namespace decodesim
