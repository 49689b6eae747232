#include "sim/serving/page_memory.hpp"

#include "sim/core/check.hpp"

namespace decodesim {

PageMemory::PageMemory(std::int64_t pages, std::int64_t page_size, bool tree)
    : total_(pages),
      available_(pages),
      page_size_(page_size),
      tree_(tree ? std::make_unique<RadixTree>(page_size) : nullptr) {}

PageMemory::Hold& PageMemory::hold_of(const Sequence& sequence) {
  if (holds_.size() <= sequence.slot) holds_.resize(sequence.slot + 1);
  return holds_[sequence.slot];
}

RadixTree::Match PageMemory::match(const Sequence& sequence, std::int64_t limit) {
  return tree_->match(tokens_of(sequence.request, limit), limit);
}

void PageMemory::hold(const Sequence& sequence, const RadixTree::Match& found) {
  hold_of(sequence) = {.live = true, .node = found.node, .shared = found.tokens};
}

void PageMemory::make_room(std::int64_t tokens) {
  const std::int64_t short_of = tokens - available_ * page_size_;
  if (!tree_ || short_of <= 0) return;
  const std::int64_t pages = tree_->evict(short_of) / page_size_;
  available_ += pages;
  evicted_ += pages;
}

void PageMemory::take(std::int64_t pages) {
  check(pages <= available_, "pages are taken where they are available");
  available_ -= pages;
}

void PageMemory::share(const Sequence& sequence) {
  if (!tree_) return;
  Hold& hold = hold_of(sequence);
  const std::int64_t tokens = sequence.cached / page_size_ * page_size_;
  const TokenString string = tokens_of(sequence.request, tokens);
  const std::int64_t there = tree_->insert(string, tokens);
  available_ += (there - hold.shared) / page_size_;
  const RadixTree::Match found = tree_->match(string, tokens);
  tree_->unlock(hold.node);
  tree_->lock(found.node);
  hold.node = found.node;
  hold.shared = tokens;
}

void PageMemory::release(Sequence& sequence, Released why) { release(sequence, sequence.cached, why); }

void PageMemory::release(const Sequence& sequence, std::int64_t tokens, Released why) {
  Hold& hold = hold_of(sequence);
  if (!hold.live) return;
  hold.live = false;
  available_ += pages_for(tokens) - hold.shared / page_size_;
  if (!tree_) return;
  if (why == Released::finished) {
    const std::int64_t whole = tokens / page_size_ * page_size_;
    const std::int64_t there = tree_->insert(tokens_of(sequence.request, whole), whole);
    available_ -= (whole - there) / page_size_;
  }
  tree_->unlock(hold.node);
}

}  // namespace decodesim
