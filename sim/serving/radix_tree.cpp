#include "sim/serving/radix_tree.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

#include "sim/core/check.hpp"

namespace decodesim {

class RadixTree::Node {
 public:
  using FirstToken = std::pair<std::uint64_t, std::int64_t>;
  [[nodiscard]] FirstToken first() const { return {edge.front().key, edge.front().offset}; }

  Node* parent = nullptr;
  TokenString edge;         // from the parent to here
  std::int64_t tokens = 0;  // of it
  std::int64_t locks = 0;
  std::int64_t touched = 0;
  std::int64_t born = 0;  // the older of two children came first; the upper half of a split takes the place over
  bool is_leaf = false;   // among the leaves that can go
  // Several, where pages of more than one token begin with the same one.
  std::multimap<FirstToken, std::unique_ptr<Node>> children;
};

RadixTree::RadixTree(std::int64_t page_size) : page_size_(page_size), root_(std::make_unique<Node>()) {}

RadixTree::~RadixTree() { clear(); }

// Deep trees would end a recursive destructor's stack.
void RadixTree::clear() {
  std::vector<std::unique_ptr<Node>> going;
  going.push_back(std::move(root_));
  while (!going.empty()) {
    const std::unique_ptr<Node> node = std::move(going.back());
    going.pop_back();
    for (auto& [first, child] : node->children) going.push_back(std::move(child));
  }
  leaves_.clear();
  evictable_ = locked_ = 0;
  root_ = std::make_unique<Node>();
}

/// The child of `node` that begins with the page at `from`, and how many tokens of whole pages are the `same`.
RadixTree::Node* RadixTree::child_of(const Node& node, const TokenString& string, std::int64_t from, std::int64_t limit,
                                     std::int64_t& same) const {
  if (limit - from < page_size_) return nullptr;
  const TokenString first = part_of(string, from, 1);
  const auto [begin, end] = node.children.equal_range({first.front().key, first.front().offset});
  for (auto child = begin; child != end; ++child) {
    same = std::min(common_tokens(child->second->edge, 0, string, from), limit - from) / page_size_ * page_size_;
    if (same > 0) return child->second.get();
  }
  return nullptr;
}

RadixTree::Match RadixTree::match(const TokenString& string, std::int64_t limit) {
  limit = limit / page_size_ * page_size_;
  const std::int64_t now = ++clock_;
  Match found{root_.get(), 0};
  std::int64_t same = 0;
  while (Node* child = child_of(*found.node, string, found.tokens, limit, same)) {
    touch(*child, now);
    found.tokens += same;
    if (same < child->tokens) {
      found.node = split(*child, same);
      break;
    }
    found.node = child;
  }
  return found;
}

std::int64_t RadixTree::insert(const TokenString& string, std::int64_t tokens) {
  tokens = tokens / page_size_ * page_size_;
  const std::int64_t now = ++clock_;
  Node* node = root_.get();
  std::int64_t there = 0;
  std::int64_t same = 0;
  while (Node* child = child_of(*node, string, there, tokens, same)) {
    touch(*child, now);
    there += same;
    node = same < child->tokens ? split(*child, same) : child;
  }
  if (there == tokens) return there;
  auto leaf = std::make_unique<Node>();
  leaf->edge = part_of(string, there, tokens - there);
  leaf->tokens = tokens - there;
  leaf->touched = ++clock_;
  leaf->born = ++born_;
  evictable_ += leaf->tokens;
  Node& made = *leaf;
  attach(*node, std::move(leaf));
  update_leaf(*node);
  update_leaf(made);
  return there;
}

/// Cuts the edge to `node` behind so many tokens. The node keeps the lower part; the upper one gets a new node.
RadixTree::Node* RadixTree::split(Node& node, std::int64_t tokens) {
  Node& parent = *node.parent;
  std::unique_ptr<Node> lower = detach(node);
  auto made = std::make_unique<Node>();
  Node* upper = made.get();
  upper->edge = part_of(lower->edge, 0, tokens);
  upper->tokens = tokens;
  upper->locks = lower->locks;
  upper->touched = ++clock_;
  upper->born = lower->born;
  lower->edge = part_of(lower->edge, tokens, lower->tokens - tokens);
  lower->tokens -= tokens;
  attach(*upper, std::move(lower));
  attach(parent, std::move(made));
  return upper;
}

void RadixTree::attach(Node& parent, std::unique_ptr<Node> child) {
  child->parent = &parent;
  const Node::FirstToken first = child->first();
  parent.children.emplace(first, std::move(child));
}

std::unique_ptr<RadixTree::Node> RadixTree::detach(Node& child) {
  auto& siblings = child.parent->children;
  const auto [begin, end] = siblings.equal_range(child.first());
  const auto place = std::find_if(begin, end, [&](const auto& one) { return one.second.get() == &child; });
  check(place != end, "a node is a child of its parent");
  std::unique_ptr<Node> taken = std::move(place->second);
  siblings.erase(place);
  return taken;
}

void RadixTree::touch(Node& node, std::int64_t time) {
  if (node.is_leaf) leaves_.erase({node.touched, &node});
  node.touched = time;
  if (node.is_leaf) leaves_.emplace(time, &node);
}

void RadixTree::update_leaf(Node& node) {
  const bool can_go = &node != root_.get() && node.locks == 0 && node.children.empty();
  if (can_go == node.is_leaf) return;
  node.is_leaf = can_go;
  if (can_go) {
    leaves_.emplace(node.touched, &node);
  } else {
    leaves_.erase({node.touched, &node});
  }
}

void RadixTree::lock(Node* node) {
  for (; node != root_.get(); node = node->parent) {
    if (node->locks++ > 0) continue;
    evictable_ -= node->tokens;
    locked_ += node->tokens;
    update_leaf(*node);
  }
}

void RadixTree::unlock(Node* node) {
  for (; node != root_.get(); node = node->parent) {
    check(node->locks > 0, "a node is unlocked as often as it was locked");
    if (--node->locks > 0) continue;
    evictable_ += node->tokens;
    locked_ -= node->tokens;
    update_leaf(*node);
  }
}

std::int64_t RadixTree::evict(std::int64_t tokens) {
  std::int64_t evicted = 0;
  while (evicted < tokens && !leaves_.empty()) {
    Node& leaf = *leaves_.begin()->second;
    leaves_.erase(leaves_.begin());
    Node& parent = *leaf.parent;
    evicted += leaf.tokens;
    evictable_ -= leaf.tokens;
    detach(leaf);
    update_leaf(parent);
  }
  return evicted;
}

std::vector<std::size_t> RadixTree::order_by_weight(const std::vector<Node*>& nodes) const {
  struct Stop {
    std::int64_t weight = 0;
    std::vector<std::size_t> waiting;   // here
    std::vector<const Node*> children;  // towards others
  };
  std::map<const Node*, Stop> stops;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    stops[nodes[i]].waiting.push_back(i);
    for (const Node* node = nodes[i]; node != nullptr; node = node->parent) {
      Stop& stop = stops[node];
      if (node->parent != nullptr && stop.weight == 0) stops[node->parent].children.push_back(node);
      ++stop.weight;
    }
  }
  std::vector<std::size_t> order;
  // Down, heavy branches first; a node comes up again when all below it is done.
  std::vector<std::pair<const Node*, bool>> path{{root_.get(), false}};
  while (!path.empty()) {
    const auto [node, done] = path.back();
    path.pop_back();
    Stop& stop = stops[node];
    if (done) {
      order.insert(order.end(), stop.waiting.begin(), stop.waiting.end());
      continue;
    }
    path.emplace_back(node, true);
    std::sort(stop.children.begin(), stop.children.end(), [&](const Node* a, const Node* b) {
      const std::int64_t more = stops[a].weight - stops[b].weight;
      return more != 0 ? more > 0 : a->born < b->born;
    });
    for (auto child = stop.children.rbegin(); child != stop.children.rend(); ++child) path.emplace_back(*child, false);
  }
  return order;
}

}  // namespace decodesim
