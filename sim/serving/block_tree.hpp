#pragma once
// TensorRT-LLM's tree of reusable blocks: each block under the one that holds the tokens before its own.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sim/serving/block_pool.hpp"
#include "sim/serving/token_string.hpp"

namespace decodesim {

class BlockTree {
 public:
  struct Node;
  using Children = std::map<TokenString, std::unique_ptr<Node>, TokenOrder>;
  struct Node {
    Node* parent = nullptr;
    BlockId block = 0;
    const TokenString* content = nullptr;  // its key among the children of its parent
    Children children;
  };
  /// What of a request's first tokens is in the tree: full blocks, and the beginning of one more.
  struct Match {
    std::vector<BlockId> full;
    BlockId partial = 0;
    std::int64_t partial_tokens = 0;
  };
  /// A block that is not in the tree, by where it would stand.
  struct NewBlock {
    const Node* parent = nullptr;
    TokenString content;
    friend bool operator==(const NewBlock&, const NewBlock&) = default;
  };

  /// Blocks of so many tokens.
  explicit BlockTree(std::int64_t block_size) : block_size_(block_size) {}

  /// The longest match within the first `most` tokens. Of several blocks that begin equally long, the one whose content
  /// comes first by TokenOrder.
  [[nodiscard]] Match match(const Request& request, std::int64_t most) const;
  /// Of the full blocks within the first `tokens`, the first that is not in the tree, unless nobody else could ever have
  /// it: then its parent is null.
  [[nodiscard]] NewBlock first_new(const Request& request, std::int64_t tokens);

  /// Adds the blocks of `table` that hold the first `tokens`, the last one perhaps in part. Where equal ones are there
  /// already, those stay.
  void store(const Request& request, std::int64_t tokens, const BlockTable& table);

  [[nodiscard]] bool has(BlockId block) const { return block < nodes_.size() && nodes_[block] != nullptr; }
  [[nodiscard]] bool is_leaf(BlockId block) const { return nodes_[block]->children.empty(); }
  /// Takes a block out, with all behind it, whom nobody could find any more; returns them.
  std::vector<BlockId> remove(BlockId block);
  /// All blocks in the tree, by number.
  [[nodiscard]] std::vector<BlockId> blocks() const;

 private:
  std::int64_t block_size_;
  std::map<std::string, Node> roots_;  // by the salt of the requests, who find nothing under another
  std::vector<Node*> nodes_;           // by block
};

}  // namespace decodesim
