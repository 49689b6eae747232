#include "sim/serving/block_tree.hpp"

#include <algorithm>
#include <iterator>

#include "sim/core/check.hpp"

namespace decodesim {

BlockTree::Match BlockTree::match(const Request& request, std::int64_t most) const {
  Match match;
  const auto root = roots_.find(request.cache_salt);
  if (root == roots_.end()) return match;
  const Node* at = &root->second;
  TokenReader reader;
  for (std::int64_t left = most; left > 0; left -= block_size_) {
    const TokenString wanted = reader.next(request, std::min(left, block_size_));
    if (left >= block_size_) {
      const auto full = at->children.find(wanted);
      if (full != at->children.end()) {
        at = full->second.get();
        match.full.push_back(at->block);
        continue;
      }
    }
    // Contents that begin alike stand together, so the neighbours of what is wanted begin most like it.
    const auto behind = at->children.lower_bound(wanted);
    std::int64_t longest = 0;
    if (behind != at->children.end()) longest = common_tokens(behind->first, 0, wanted, 0);
    if (behind != at->children.begin()) {
      longest = std::max(longest, common_tokens(std::prev(behind)->first, 0, wanted, 0));
    }
    if (longest > 0) {
      match.partial = at->children.lower_bound(part_of(wanted, 0, longest))->second->block;
      match.partial_tokens = longest;
    }
    break;
  }
  return match;
}

BlockTree::NewBlock BlockTree::first_new(const Request& request, std::int64_t tokens) {
  const std::int64_t shareable = std::min(tokens, shareable_tokens(request));
  const Node* at = &roots_[request.cache_salt];
  TokenReader reader;
  for (std::int64_t end = block_size_; end <= shareable; end += block_size_) {
    TokenString content = reader.next(request, block_size_);
    const auto child = at->children.find(content);
    if (child == at->children.end()) return {at, std::move(content)};
    at = child->second.get();
  }
  return {};
}

void BlockTree::store(const Request& request, std::int64_t tokens, const BlockTable& table) {
  if (tokens == 0) return;
  Node* at = &roots_[request.cache_salt];
  TokenReader reader;
  for (std::size_t i = 0; tokens > 0; ++i, tokens -= block_size_) {
    TokenString content = reader.next(request, std::min(tokens, block_size_));
    const auto [child, added] = at->children.try_emplace(std::move(content));
    if (added) {
      const BlockId block = table[i];
      if (nodes_.size() <= block) nodes_.resize(block + std::size_t{1});
      check(nodes_[block] == nullptr, "a block stands in one place of the tree");
      child->second = std::make_unique<Node>();
      child->second->parent = at;
      child->second->block = block;
      child->second->content = &child->first;
      nodes_[block] = child->second.get();
    }
    at = child->second.get();
  }
}

std::vector<BlockId> BlockTree::remove(BlockId block) {
  std::vector<BlockId> removed;
  std::vector<const Node*> behind{nodes_[block]};
  while (!behind.empty()) {
    const Node* node = behind.back();
    behind.pop_back();
    removed.push_back(node->block);
    for (const auto& [content, child] : node->children) behind.push_back(child.get());
  }
  Node* node = nodes_[block];
  for (const BlockId one : removed) nodes_[one] = nullptr;
  node->parent->children.erase(node->parent->children.find(*node->content));
  return removed;
}

std::vector<BlockId> BlockTree::blocks() const {
  std::vector<BlockId> all;
  for (const Node* node : nodes_) {
    if (node != nullptr) all.push_back(node->block);
  }
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace decodesim
