// The orders of SGLang's queue.

#include <algorithm>
#include <tuple>
#include <utility>

#include "tests/support/plain_sglang.hpp"

namespace decodesim::tests {

void PlainSglang::order_waiting() {
  const bool by_priority = knobs_.enable_priority_scheduling;
  if (policy_ == SglangOrder::lof) {
    std::stable_sort(waiting.begin(), waiting.end(), [&](auto* a, auto* b) {
      const std::int64_t pa = by_priority ? a->request->priority : 0;
      const std::int64_t pb = by_priority ? b->request->priority : 0;
      return std::tuple(pa, -limit(*a)) < std::tuple(pb, -limit(*b));
    });
  } else if (policy_ == SglangOrder::fcfs && by_priority) {
    std::stable_sort(waiting.begin(), waiting.end(), [&](auto* a, auto* b) {
      return std::tuple(a->request->priority, entry_.at(a)) < std::tuple(b->request->priority, entry_.at(b));
    });
  } else if (policy_ == SglangOrder::random) {
    for (std::size_t i = waiting.size(); i > 1; --i) {
      std::swap(waiting[i - 1],
                waiting[static_cast<std::size_t>(shuffle_.integer(0, static_cast<std::int64_t>(i) - 1))]);
    }
  } else if (policy_ == SglangOrder::dfs_weight) {
    order_by_weight();
  } else if (policy_ == SglangOrder::lpm && waiting.size() <= 128) {
    order_by_match();
  }
}

/// Longest match first; who matches little and shares much with one before it in the queue goes to the end.
void PlainSglang::order_by_match() {
  PlainRadix shadow(1);
  std::map<PlainSequence*, std::int64_t> key;
  for (PlainSequence* r : waiting) {
    const std::int64_t match = look_up(*r, r->known()).tokens;
    key[r] = -std::min(match, r->known() - 1);
    if (match > 32) continue;
    const PlainTokens tokens = salted_tokens(*r->request, r->known());
    if (shadow.match(tokens).tokens >= 32) {
      key[r] = 1;
    } else {
      shadow.insert(tokens);
    }
  }
  std::stable_sort(waiting.begin(), waiting.end(), [&](auto* a, auto* b) { return key.at(a) < key.at(b); });
}

void PlainSglang::order_by_weight() {
  std::map<PlainRadix::Node*, Sequences> at;
  for (PlainSequence* r : waiting) at[look_up(*r, r->known()).node].push_back(r);
  std::deque<PlainSequence*> order;
  walk_by_weight(tree_->root(), at, order);
  waiting = order;
}

std::int64_t PlainSglang::weight(const PlainRadix::Node* node, const std::map<PlainRadix::Node*, Sequences>& at) const {
  std::int64_t sum = 0;
  for (const auto& [place, requests] : at) {
    if (place == node) sum += static_cast<std::int64_t>(requests.size());
  }
  for (const auto& child : node->children) sum += weight(child.get(), at);
  return sum;
}

void PlainSglang::walk_by_weight(PlainRadix::Node* node, const std::map<PlainRadix::Node*, Sequences>& at,
                                 std::deque<PlainSequence*>& order) {
  std::vector<PlainRadix::Node*> children;
  for (const auto& child : node->children) children.push_back(child.get());
  std::stable_sort(children.begin(), children.end(), [&](auto* a, auto* b) { return weight(a, at) > weight(b, at); });
  for (PlainRadix::Node* child : children) walk_by_weight(child, at, order);
  if (const auto here = at.find(node); here != at.end())
    order.insert(order.end(), here->second.begin(), here->second.end());
}

}  // namespace decodesim::tests
