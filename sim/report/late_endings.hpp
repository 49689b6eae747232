#pragma once
// Endings of requests whose clients left, until all that happened to them has been told.

#include <deque>
#include <utility>

#include "sim/serving/observer.hpp"

namespace decodesim {

/// Who leaves while a step runs is told before that step is, which may still tell of evictions and recompute of it. So what
/// steps tell of a request is complete only with the next one: until then its ending is kept here, with a copy of it.
class LateEndings {
 public:
  /// Keeps the ending where its client left; else says false, and all has been told of it.
  bool keep(const RequestFacts& facts) {
    if (!client_left(facts)) return false;
    Ending& ending = kept_.emplace_back(*facts.request, facts);
    ending.second.request = &ending.first;
    return true;
  }
  /// A step has been told, or there is none any more: calls `book` with each ending that was kept, in their order.
  template <class Book>
  void settle(const Book& book) {
    for (; !kept_.empty(); kept_.pop_front()) book(kept_.front().second);
  }

 private:
  using Ending = std::pair<Request, RequestFacts>;
  std::deque<Ending> kept_;
};

}  // namespace decodesim
