#pragma once
// Output tokens by tenant, counted without walking those that decode in lock-step.

#include <cstdint>
#include <vector>

namespace decodesim {

/// All members of the cohort get the same tokens, so a tenant's tokens are a constant plus its members times the tokens
/// that the cohort counts.
class TenantTally {
 public:
  void joined(std::size_t tenant, std::int64_t counted) {
    Tenant& own = of(tenant);
    own.members += 1;
    own.tokens -= counted;
  }
  void left(std::size_t tenant, std::int64_t counted) {
    Tenant& own = of(tenant);
    own.members -= 1;
    own.tokens += counted;
  }
  /// A token outside the lock-step.
  void count(std::size_t tenant) { of(tenant).tokens += 1; }
  /// A token is taken back of one that is no member any more.
  void take_back(std::size_t tenant) { of(tenant).tokens -= 1; }

  [[nodiscard]] std::int64_t tokens(std::size_t tenant, std::int64_t counted) const {
    return tenant < tenants_.size() ? tenants_[tenant].tokens + tenants_[tenant].members * counted : 0;
  }

 private:
  struct Tenant {
    std::int64_t members = 0;
    std::int64_t tokens = 0;
  };
  Tenant& of(std::size_t tenant) {
    if (tenants_.size() <= tenant) tenants_.resize(tenant + 1);
    return tenants_[tenant];
  }

  std::vector<Tenant> tenants_;
};

}  // namespace decodesim
