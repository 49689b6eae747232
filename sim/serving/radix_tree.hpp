#pragma once
// SGLang's prefix cache: a tree whose edges carry the tokens that have KV.

#include <cstdint>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "sim/serving/token_string.hpp"

namespace decodesim {

/// Tokens are found by their identity (token_string.hpp), in whole pages. A lookup that ends within an edge splits it, so
/// that what was found ends at a node. A locked node and all above it stay; of the others, leaves leave as a whole, the
/// one that was touched longest ago first. Always: evictable + locked = tokens in the tree.
///
/// Times are counted in touches. Everything that one lookup touches has the same time, but what it makes, a new leaf or
/// the upper half of a split edge, is newer.
class RadixTree {
 public:
  class Node;
  explicit RadixTree(std::int64_t page_size);
  ~RadixTree();
  RadixTree(const RadixTree&) = delete;
  RadixTree& operator=(const RadixTree&) = delete;

  struct Match {
    Node* node = nullptr;     // where it ends
    std::int64_t tokens = 0;  // from the root to there
  };
  /// The longest beginning of `string`, at most `limit` tokens of it, that is in the tree.
  Match match(const TokenString& string, std::int64_t limit);
  /// Puts the whole pages among the first `tokens` of `string` into the tree, and returns how many tokens of them were
  /// there already.
  std::int64_t insert(const TokenString& string, std::int64_t tokens);

  /// Keeps a node and all above it, until it is unlocked as often.
  void lock(Node* node);
  void unlock(Node* node);
  /// Lets leaves go until that were at least `tokens`, or no more can, and returns how many it were.
  std::int64_t evict(std::int64_t tokens);

  [[nodiscard]] std::int64_t evictable() const { return evictable_; }
  [[nodiscard]] std::int64_t locked() const { return locked_; }
  [[nodiscard]] std::int64_t size() const { return evictable_ + locked_; }
  [[nodiscard]] std::int64_t page_size() const { return page_size_; }
  [[nodiscard]] Node* root() const { return root_.get(); }
  void clear();

  /// In which order a walk down the tree meets the nodes where requests wait, one entry of `nodes` each: the branch with
  /// most of them first, the older of equal branches, and what waits below a node before what waits at it. The answer
  /// holds places in `nodes`.
  [[nodiscard]] std::vector<std::size_t> order_by_weight(const std::vector<Node*>& nodes) const;

 private:
  [[nodiscard]] Node* child_of(const Node& node, const TokenString& string, std::int64_t from, std::int64_t limit,
                               std::int64_t& same) const;
  Node* split(Node& node, std::int64_t tokens);
  void attach(Node& parent, std::unique_ptr<Node> child);
  std::unique_ptr<Node> detach(Node& child);
  void touch(Node& node, std::int64_t time);
  void update_leaf(Node& node);

  std::int64_t page_size_;
  std::int64_t clock_ = 0;
  std::int64_t born_ = 0;
  std::int64_t evictable_ = 0;
  std::int64_t locked_ = 0;
  std::unique_ptr<Node> root_;
  std::set<std::pair<std::int64_t, Node*>> leaves_;  // unlocked, by when they were touched; no two at the same time
};

}  // namespace decodesim
