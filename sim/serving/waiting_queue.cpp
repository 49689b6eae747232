#include "sim/serving/waiting_queue.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "sim/core/check.hpp"

namespace decodesim {

bool WaitingQueue::Before::operator()(const Sequence* a, const Sequence* b) const {
  if (order->before(*a, *b)) return true;
  if (order->before(*b, *a)) return false;
  return a->ticket < b->ticket;
}

WaitingQueue::WaitingQueue(std::unique_ptr<QueueOrder> order)
    : order_(std::move(order)), by_key_(Before{order_.get()}) {}

std::int64_t WaitingQueue::size() const {
  return static_cast<std::int64_t>(sorted() ? by_key_.size() : by_arrival_.size());
}

Sequence& WaitingQueue::head() const {
  if (!sorted()) return *by_arrival_.front();
  Sequence* named = order_->head();
  return named != nullptr ? *named : **by_key_.begin();
}

void WaitingQueue::push_back(Sequence& sequence) {
  sequence.ticket = next_ticket_++;
  if (sorted()) {
    by_key_.insert(&sequence);
    order_->joined(sequence);
  } else {
    by_arrival_.push_back(&sequence);
  }
}

void WaitingQueue::push_front(Sequence& sequence) {
  if (sorted()) return push_back(sequence);
  sequence.ticket = next_ticket_++;
  by_arrival_.push_front(&sequence);
}

void WaitingQueue::admit(Sequence& sequence) {
  if (sorted()) order_->admitted(sequence);
  remove(sequence);
}

void WaitingQueue::push_by_arrival(Sequence& sequence) {
  check(!sorted(), "a queue that is sorted by key has no other places");
  sequence.ticket = next_ticket_++;
  const auto later = [](const Sequence* a, const Sequence* b) {
    return std::tie(a->request.arrival, a->request.index) < std::tie(b->request.arrival, b->request.index);
  };
  by_arrival_.insert(std::upper_bound(by_arrival_.begin(), by_arrival_.end(), &sequence, later), &sequence);
}

void WaitingQueue::remove(Sequence& sequence) {
  if (sorted()) {
    check(by_key_.erase(&sequence) == 1, "a sequence that leaves the queue is in it");
    order_->left(sequence);
    return;
  }
  if (!by_arrival_.empty() && by_arrival_.front() == &sequence) return by_arrival_.pop_front();
  const auto place = std::find(by_arrival_.begin(), by_arrival_.end(), &sequence);
  check(place != by_arrival_.end(), "a sequence that leaves the queue is in it");
  by_arrival_.erase(place);
}

std::deque<Sequence*>& WaitingQueue::list() {
  check(!sorted(), "a queue that is sorted by key has no list to be sorted by hand");
  return by_arrival_;
}

}  // namespace decodesim
