#pragma once
// The pending events of a simulation, in one total order.

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "sim/core/check.hpp"
#include "sim/core/time.hpp"

namespace decodesim {

/// Events come out by (time, phase, insertion): earlier first, then the lower phase, then the one pushed first.
///
/// Event is a value, usually a closed std::variant. Nothing is ever scheduled into the past, and nothing is cancelled:
/// an event that went stale carries an epoch, and its receiver drops it.
template <class Event>
class EventQueue {
 public:
  /// Throws BrokenInvariant where `time` lies before the last event taken.
  void push(Time time, std::uint32_t phase, Event event) {
    check(time >= now_, "an event was scheduled into the past");
    heap_.push_back({time, phase, next_insertion_++, std::move(event)});
    std::push_heap(heap_.begin(), heap_.end(), later);
  }

  [[nodiscard]] bool empty() const { return heap_.empty(); }
  [[nodiscard]] std::size_t size() const { return heap_.size(); }
  /// The time of the next event; the queue must not be empty.
  [[nodiscard]] Time next_time() const { return heap_.front().time; }

  /// Takes the next event; the queue must not be empty.
  Event pop() {
    std::pop_heap(heap_.begin(), heap_.end(), later);
    Entry entry = std::move(heap_.back());
    heap_.pop_back();
    now_ = entry.time;
    return std::move(entry.event);
  }

 private:
  struct Entry {
    Time time;
    std::uint32_t phase;
    std::uint64_t insertion;
    Event event;
  };
  static bool later(const Entry& a, const Entry& b) {
    if (a.time != b.time) return a.time > b.time;
    if (a.phase != b.phase) return a.phase > b.phase;
    return a.insertion > b.insertion;
  }

  std::vector<Entry> heap_;
  std::uint64_t next_insertion_ = 0;
  Time now_{};
};

}  // namespace decodesim
