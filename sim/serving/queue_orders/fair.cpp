// The virtual token counter: the next request is the oldest of the tenant that got the least service so far, prompts and
// outputs weighed by their prices. A tenant that comes back after a time without requests gets no credit for it.
// (Sheng and others, "Fairness in serving large language models", OSDI 2024.)

#include <set>
#include <vector>

#include "sim/core/check.hpp"
#include "sim/serving/lock_step.hpp"
#include "sim/serving/policy_factories.hpp"

namespace decodesim {

namespace {

/// Counters change while requests wait, so the queue itself is sorted by arrival, and the head is looked for when it is
/// asked for: a look at every tenant that has requests waiting. Ties go to the tenant that was seen first.
class Fair final : public QueueOrder {
 public:
  explicit Fair(const ServerConfig& server) : prices_(server.scheduler.fair) {}

  bool before(const Sequence& a, const Sequence& b) const override { return a.request.index < b.request.index; }

  void reads(const LockStep& cohort) override { cohort_ = &cohort; }

  void joined(Sequence& sequence) override {
    Tenant& tenant = tenant_of(sequence);
    // Who only comes back after an eviction never left.
    if (tenant.waiting.empty() && !sequence.admitted) lift(tenant);
    tenant.waiting.insert(&sequence);
    waiting_.insert(tenant.id);
  }
  void left(Sequence& sequence) override {
    Tenant& tenant = tenants_[sequence.tenant];
    tenant.waiting.erase(&sequence);
    if (tenant.waiting.empty()) waiting_.erase(tenant.id);
  }
  void admitted(const Sequence& sequence) override {
    if (!sequence.admitted) tenants_[sequence.tenant].prompt_tokens += sequence.request.input_tokens;
  }

  [[nodiscard]] Sequence* head() const override {
    const Tenant* least = least_served();
    return least != nullptr ? *least->waiting.begin() : nullptr;
  }

 private:
  struct ByArrival {
    bool operator()(const Sequence* a, const Sequence* b) const { return a->request.index < b->request.index; }
  };
  struct Tenant {
    std::size_t id = 0;
    double weight = 1;
    double lifted = 0;               // what it was lifted by, in all
    std::int64_t prompt_tokens = 0;  // of requests that were admitted
    std::set<Sequence*, ByArrival> waiting;
  };

  Tenant& tenant_of(const Sequence& sequence) {
    if (sequence.tenant < tenants_.size()) return tenants_[sequence.tenant];
    check(sequence.tenant == tenants_.size(), "tenants are numbered as they are first seen");
    Tenant& tenant = tenants_.emplace_back();
    tenant.id = sequence.tenant;
    for (const TenantWeight& one : prices_.weights) {
      if (one.tenant == sequence.request.tenant) tenant.weight = one.weight;
    }
    return tenant;
  }

  [[nodiscard]] double service(const Tenant& tenant) const {
    return (prices_.input_price * static_cast<double>(tenant.prompt_tokens) +
            prices_.output_price * static_cast<double>(cohort_->tokens_of(tenant.id))) /
           tenant.weight;
  }
  [[nodiscard]] double counter(const Tenant& tenant) const { return tenant.lifted + service(tenant); }

  // Of those with requests waiting.
  [[nodiscard]] const Tenant* least_served() const {
    const Tenant* least = nullptr;
    for (const std::size_t id : waiting_) {
      if (least == nullptr || counter(tenants_[id]) < counter(*least)) least = &tenants_[id];
    }
    return least;
  }

  // A tenant of whom nobody waits comes up to the least served of those who wait.
  void lift(Tenant& tenant) {
    const Tenant* least = least_served();
    if (least == nullptr || counter(*least) <= counter(tenant)) return;
    tenant.lifted = counter(*least) - service(tenant);
  }

  FairSpec prices_;
  const LockStep* cohort_ = nullptr;
  std::vector<Tenant> tenants_;    // by Sequence::tenant, so in the order in which they were first seen
  std::set<std::size_t> waiting_;  // those with requests waiting
};

}  // namespace

std::unique_ptr<QueueOrder> make_fair_order(const ServerConfig& server) { return std::make_unique<Fair>(server); }

}  // namespace decodesim
