#pragma once
// Virtual token counters over plain sequences.

#include <deque>
#include <string>
#include <vector>

#include "tests/support/plain_scheduler.hpp"

namespace decodesim::tests {

/// Remembers every request that came, and counts what their tenants got whenever it is asked.
class PlainFair {
 public:
  explicit PlainFair(const FairSpec& prices) : prices_(prices) {}

  /// Before the request joins `waiting`.
  void arrived(const PlainSequence& sequence, const std::deque<PlainSequence*>& waiting);
  /// Its prompt is paid for when it first runs.
  void admitted(const PlainSequence& sequence);
  /// The place in `waiting` of the oldest request of the tenant with the smallest counter.
  [[nodiscard]] std::size_t head(const std::deque<PlainSequence*>& waiting) const;

 private:
  struct Tenant {
    std::string name;
    double weight = 1;
    double lifted = 0;
    std::vector<const PlainSequence*> sequences;
    std::vector<const PlainSequence*> paid;
  };
  [[nodiscard]] std::size_t find(const std::string& name) const;
  [[nodiscard]] double service(const Tenant& tenant) const;
  [[nodiscard]] double counter(const Tenant& tenant) const { return tenant.lifted + service(tenant); }
  /// The tenant with the smallest counter of those that wait, the first seen among equals; none: their number.
  [[nodiscard]] std::size_t least(const std::deque<PlainSequence*>& waiting) const;

  FairSpec prices_;
  std::vector<Tenant> tenants_;  // as they were first seen
};

}  // namespace decodesim::tests
