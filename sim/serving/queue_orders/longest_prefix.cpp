// Who finds the most tokens in the prefix cache first; of equal ones the first that came. What the device holds counts,
// not what a host tier could bring back.

#include <set>
#include <tuple>

#include "sim/serving/paged_memory.hpp"
#include "sim/serving/policy_factories.hpp"

namespace decodesim {

namespace {

/// What is found changes with every block that is filled or handed out, so the queue itself is sorted by arrival, and the
/// head is looked for when it is asked for: once for each that a pass admits, and once more for whom it leaves. That costs
/// two looks into the cache at most for each that waits, and one for each block that the best of them finds. A block is
/// found only where all before it are, so one look at the block behind the best so far says who finds more.
class LongestPrefix final : public QueueOrder {
 public:
  bool before(const Sequence& a, const Sequence& b) const override { return came_before(a, b); }

  void finds_in(const PagedMemory& memory) override { memory_ = &memory; }
  void joined(Sequence& sequence) override { waiting_.insert(&sequence); }
  void left(Sequence& sequence) override { waiting_.erase(&sequence); }

  [[nodiscard]] Sequence* head() const override {
    if (memory_ == nullptr || !memory_->caches_prefixes()) return nullptr;
    Sequence* best = nullptr;
    std::int64_t blocks = 0;  // that it finds
    for (Sequence* one : waiting_) {
      if (best == nullptr) best = one;
      // Most requests that begin otherwise are known by their first block; the rest of their prompts is not hashed.
      if (blocks > 0 && !memory_->finds(*one, 0)) continue;
      for (; memory_->finds(*one, blocks); ++blocks) best = one;
    }
    return best;
  }

 private:
  static bool came_before(const Sequence& a, const Sequence& b) {
    return std::tie(a.request.arrival, a.request.index) < std::tie(b.request.arrival, b.request.index);
  }
  struct ByArrival {
    bool operator()(const Sequence* a, const Sequence* b) const { return came_before(*a, *b); }
  };

  const PagedMemory* memory_ = nullptr;
  std::set<Sequence*, ByArrival> waiting_;
};

}  // namespace

std::unique_ptr<QueueOrder> make_longest_prefix_order(const ServerConfig&) { return std::make_unique<LongestPrefix>(); }

}  // namespace decodesim
