#include "tests/support/plain_fair.hpp"

#include <algorithm>

namespace decodesim::tests {

std::size_t PlainFair::find(const std::string& name) const {
  for (std::size_t i = 0; i < tenants_.size(); ++i) {
    if (tenants_[i].name == name) return i;
  }
  return tenants_.size();
}

double PlainFair::service(const Tenant& tenant) const {
  std::int64_t prompts = 0;
  std::int64_t outputs = 0;
  for (const PlainSequence* sequence : tenant.paid) prompts += sequence->input;
  for (const PlainSequence* sequence : tenant.sequences) outputs += sequence->emitted;
  return (prices_.input_price * static_cast<double>(prompts) + prices_.output_price * static_cast<double>(outputs)) /
         tenant.weight;
}

std::size_t PlainFair::least(const std::deque<PlainSequence*>& waiting) const {
  std::size_t chosen = tenants_.size();
  for (std::size_t i = 0; i < tenants_.size(); ++i) {
    const bool waits = std::any_of(waiting.begin(), waiting.end(), [&](const PlainSequence* sequence) {
      return sequence->request->tenant == tenants_[i].name;
    });
    if (!waits) continue;
    if (chosen == tenants_.size() || counter(tenants_[i]) < counter(tenants_[chosen])) chosen = i;
  }
  return chosen;
}

void PlainFair::arrived(const PlainSequence& sequence, const std::deque<PlainSequence*>& waiting) {
  const std::string& name = sequence.request->tenant;
  if (find(name) == tenants_.size()) {
    Tenant& fresh = tenants_.emplace_back();
    fresh.name = name;
    for (const TenantWeight& one : prices_.weights) {
      if (one.tenant == name) fresh.weight = one.weight;
    }
  }
  Tenant& tenant = tenants_[find(name)];
  tenant.sequences.push_back(&sequence);
  const bool had_none = std::none_of(waiting.begin(), waiting.end(),
                                     [&](const PlainSequence* other) { return other->request->tenant == name; });
  const std::size_t other = least(waiting);
  if (!had_none || other == tenants_.size()) return;
  const double lowest = counter(tenants_[other]);
  if (lowest > counter(tenant)) tenant.lifted = lowest - service(tenant);
}

void PlainFair::admitted(const PlainSequence& sequence) {
  Tenant& tenant = tenants_[find(sequence.request->tenant)];
  if (std::find(tenant.paid.begin(), tenant.paid.end(), &sequence) == tenant.paid.end())
    tenant.paid.push_back(&sequence);
}

std::size_t PlainFair::head(const std::deque<PlainSequence*>& waiting) const {
  const std::string& name = tenants_[least(waiting)].name;
  std::size_t oldest = waiting.size();
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    if (waiting[i]->request->tenant != name) continue;
    if (oldest == waiting.size() || waiting[i]->request->index < waiting[oldest]->request->index) oldest = i;
  }
  return oldest;
}

}  // namespace decodesim::tests
