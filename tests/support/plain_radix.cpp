#include "tests/support/plain_radix.hpp"

#include <algorithm>

namespace decodesim::tests {

PlainTokens salted_tokens(const Request& request, std::int64_t count) {
  PlainTokens tokens;
  for (const PlainToken& token : plain_tokens(request, count)) tokens.emplace_back(request.cache_salt, token);
  return tokens;
}

PlainRadix::Node* PlainRadix::child(Node* node, const PlainTokens& tokens, std::size_t from,
                                    std::size_t& shared) const {
  const auto page = static_cast<std::size_t>(page_);
  for (const auto& one : node->children) {
    std::size_t same = 0;
    while (same < one->edge.size() && from + same < tokens.size() && one->edge[same] == tokens[from + same]) ++same;
    shared = same / page * page;
    if (shared > 0) return one.get();
  }
  return nullptr;
}

PlainRadix::Match PlainRadix::match(PlainTokens tokens) {
  tokens.resize(tokens.size() / static_cast<std::size_t>(page_) * static_cast<std::size_t>(page_));
  const std::int64_t now = ++clock_;
  Node* node = &root_;
  std::size_t at = 0;
  std::size_t shared = 0;
  while (Node* next = child(node, tokens, at, shared)) {
    next->touched = now;
    at += shared;
    if (shared < next->edge.size()) return {split(next, shared), static_cast<std::int64_t>(at)};
    node = next;
  }
  return {node, static_cast<std::int64_t>(at)};
}

std::int64_t PlainRadix::insert(PlainTokens tokens) {
  tokens.resize(tokens.size() / static_cast<std::size_t>(page_) * static_cast<std::size_t>(page_));
  const std::int64_t now = ++clock_;
  Node* node = &root_;
  std::size_t at = 0;
  std::size_t shared = 0;
  while (Node* next = child(node, tokens, at, shared)) {
    next->touched = now;
    at += shared;
    node = shared < next->edge.size() ? split(next, shared) : next;
  }
  if (at < tokens.size()) {
    auto leaf = std::make_unique<Node>();
    leaf->parent = node;
    leaf->edge.assign(tokens.begin() + static_cast<std::ptrdiff_t>(at), tokens.end());
    leaf->touched = ++clock_;
    node->children.push_back(std::move(leaf));
  }
  return static_cast<std::int64_t>(at);
}

/// The upper half takes the place of the node; the node keeps the lower half and stands below.
PlainRadix::Node* PlainRadix::split(Node* node, std::size_t at) {
  auto upper = std::make_unique<Node>();
  Node* made = upper.get();
  upper->parent = node->parent;
  upper->locks = node->locks;
  upper->touched = ++clock_;
  upper->edge.assign(node->edge.begin(), node->edge.begin() + static_cast<std::ptrdiff_t>(at));
  node->edge.erase(node->edge.begin(), node->edge.begin() + static_cast<std::ptrdiff_t>(at));
  for (auto& place : node->parent->children) {
    if (place.get() != node) continue;
    upper->children.push_back(std::move(place));
    place = std::move(upper);
    break;
  }
  node->parent = made;
  return made;
}

void PlainRadix::lock(Node* node) {
  for (; node != &root_; node = node->parent) ++node->locks;
}

void PlainRadix::unlock(Node* node) {
  for (; node != &root_; node = node->parent) --node->locks;
}

void PlainRadix::collect_leaves(Node& node, std::vector<Node*>& leaves) {
  for (const auto& one : node.children) {
    if (one->children.empty() && one->locks == 0) leaves.push_back(one.get());
    collect_leaves(*one, leaves);
  }
}

std::int64_t PlainRadix::evict(std::int64_t tokens) {
  std::int64_t gone = 0;
  while (gone < tokens) {
    std::vector<Node*> leaves;
    collect_leaves(root_, leaves);
    if (leaves.empty()) break;
    Node* oldest = *std::min_element(leaves.begin(), leaves.end(),
                                     [](const Node* a, const Node* b) { return a->touched < b->touched; });
    gone += static_cast<std::int64_t>(oldest->edge.size());
    std::erase_if(oldest->parent->children, [&](const auto& one) { return one.get() == oldest; });
  }
  return gone;
}

std::int64_t PlainRadix::count(const Node& node, bool unlocked_only) const {
  std::int64_t tokens = !unlocked_only || node.locks == 0 ? static_cast<std::int64_t>(node.edge.size()) : 0;
  for (const auto& one : node.children) tokens += count(*one, unlocked_only);
  return tokens;
}

}  // namespace decodesim::tests
