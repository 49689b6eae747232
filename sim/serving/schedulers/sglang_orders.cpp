// The orders in which SGLang looks at its queue. They sort it in place, so the order before stays where they see no
// difference.

#include <algorithm>
#include <tuple>
#include <utility>

#include "sim/serving/schedulers/sglang.hpp"

namespace decodesim {

namespace {

// Of SGLang's schedule_policy.py: beyond so many waiting, lpm looks up nothing; a request is compared with those that wait
// where the tree has at most so much of it, and stands back where it shares at least so much with one of them.
constexpr std::int64_t lpm_queue_max = 128;
constexpr std::int64_t in_batch_check_max = 32;
constexpr std::int64_t in_batch_match_min = 32;

}  // namespace

void Sglang::order_queue(Draft& draft) {
  std::deque<Sequence*>& queue = draft.queue_list();
  const bool by_priority = knobs_.enable_priority_scheduling;
  if (policy_ == SglangOrder::lof) {
    std::stable_sort(queue.begin(), queue.end(), [&](const Sequence* a, const Sequence* b) {
      if (by_priority && a->request.priority != b->request.priority) return a->request.priority < b->request.priority;
      return limit_of(a->request) > limit_of(b->request);
    });
  } else if (by_priority && policy_ == SglangOrder::fcfs) {
    std::stable_sort(queue.begin(), queue.end(), [](const Sequence* a, const Sequence* b) {
      return std::tuple(a->request.priority, a->ticket) < std::tuple(b->request.priority, b->ticket);
    });
  } else if (policy_ == SglangOrder::random) {
    for (std::size_t i = queue.size(); i > 1; --i)
      std::swap(queue[i - 1], queue[static_cast<std::size_t>(shuffle_.integer(0, static_cast<std::int64_t>(i) - 1))]);
  } else if (policy_ == SglangOrder::dfs_weight) {
    std::vector<RadixTree::Node*> nodes;
    for (const Sequence* waiting : queue) nodes.push_back(look_up(*waiting, waiting->known()).node);
    std::deque<Sequence*> sorted;
    for (const std::size_t place : memory_.tree()->order_by_weight(nodes)) sorted.push_back(queue[place]);
    queue = sorted;
  } else if (policy_ == SglangOrder::lpm && static_cast<std::int64_t>(queue.size()) <= lpm_queue_max) {
    order_by_match(queue);
  }
}

/// The longest match first. Of those that match little, only one of each beginning stands there: the others go to the end,
/// so that it can fill the tree for them.
void Sglang::order_by_match(std::deque<Sequence*>& queue) {
  shadow_.clear();
  std::vector<std::pair<std::int64_t, Sequence*>> keys;
  for (Sequence* waiting : queue) {
    const std::int64_t known = waiting->known();
    const std::int64_t found = look_up(*waiting, known).tokens;
    std::int64_t key = -std::min(found, known - 1);
    if (found <= in_batch_check_max) {
      const TokenString string = tokens_of(waiting->request, known);
      if (shadow_.match(string, known).tokens >= in_batch_match_min) {
        key = 1;
      } else {
        shadow_.insert(string, known);
      }
    }
    keys.emplace_back(key, waiting);
  }
  std::stable_sort(keys.begin(), keys.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::transform(keys.begin(), keys.end(), queue.begin(), [](const auto& one) { return one.second; });
}

/// What the tree has of the first `limit` tokens of a waiting request.
RadixTree::Match Sglang::look_up(const Sequence& candidate, std::int64_t limit) {
  const RadixTree::Match found =
      candidate.request.no_prefix_read ? RadixTree::Match{memory_.tree()->root(), 0} : memory_.match(candidate, limit);
  memo(candidate).found = found.tokens;
  return found;
}

}  // namespace decodesim
