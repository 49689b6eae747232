#pragma once
// A radix tree over plain tokens: every edge is a list of them, every question a walk.

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/plain_tokens.hpp"

namespace decodesim::tests {

/// A token, and the salt that keeps apart who may share nothing.
using PlainTokens = std::vector<std::pair<std::string, PlainToken>>;

/// The first `count` tokens of a request, with its salt.
PlainTokens salted_tokens(const Request& request, std::int64_t count);

class PlainRadix {
 public:
  struct Node {
    Node* parent = nullptr;
    PlainTokens edge;
    std::int64_t locks = 0;
    std::int64_t touched = 0;
    std::vector<std::unique_ptr<Node>> children;  // the oldest first
  };
  struct Match {
    Node* node;
    std::int64_t tokens;
  };

  explicit PlainRadix(std::int64_t page) : page_(page) {}
  Match match(PlainTokens tokens);
  /// How many of the tokens were there already.
  std::int64_t insert(PlainTokens tokens);
  void lock(Node* node);
  void unlock(Node* node);
  /// How many tokens left.
  std::int64_t evict(std::int64_t tokens);
  [[nodiscard]] std::int64_t evictable() const { return count(root_, true); }
  [[nodiscard]] std::int64_t size() const { return count(root_, false); }
  Node* root() { return &root_; }

 private:
  [[nodiscard]] std::int64_t count(const Node& node, bool unlocked_only) const;
  Node* split(Node* node, std::size_t at);
  /// The child that shares a page with `tokens` from `from` on, and how many tokens in whole pages it shares.
  Node* child(Node* node, const PlainTokens& tokens, std::size_t from, std::size_t& shared) const;
  static void collect_leaves(Node& node, std::vector<Node*>& leaves);

  std::int64_t page_;
  std::int64_t clock_ = 0;
  Node root_;
};

}  // namespace decodesim::tests
