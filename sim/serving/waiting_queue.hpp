#pragma once
// The requests that wait to run.

#include <cstdint>
#include <deque>
#include <memory>
#include <set>

#include "sim/serving/sequence.hpp"

namespace decodesim {

class LockStep;
class PagedMemory;

/// In which order requests wait, where it is not that of their arrival. The order of two requests must not change while
/// both wait; equal ones stand in the order in which they joined.
class QueueOrder {
 public:
  virtual ~QueueOrder() = default;
  /// Does `a` go before `b`?
  [[nodiscard]] virtual bool before(const Sequence& a, const Sequence& b) const = 0;

  /// Who is next, where that changes while requests wait; nothing: who goes before all others.
  [[nodiscard]] virtual Sequence* head() const { return nullptr; }
  /// What such an order learns: the cohort that counts the tokens of every tenant, the memory in which prefixes are
  /// found, who joins and leaves the queue, and who leaves it to run (told before it leaves).
  virtual void reads(const LockStep&) {}
  virtual void finds_in(const PagedMemory&) {}
  virtual void joined(Sequence&) {}
  virtual void left(Sequence&) {}
  virtual void admitted(const Sequence&) {}
};

/// First come, first served, with a head to which victims can return; or sorted by a QueueOrder, where all go to the
/// place of their key and the order may name another head. Head and tail are constant time, a sorted place is a logarithm.
class WaitingQueue {
 public:
  /// Without an order: first come, first served.
  explicit WaitingQueue(std::unique_ptr<QueueOrder> order = nullptr);

  [[nodiscard]] bool empty() const { return size() == 0; }
  [[nodiscard]] std::int64_t size() const;
  [[nodiscard]] bool sorted() const { return order_ != nullptr; }
  /// Does `a` go before `b` in a sorted queue?
  [[nodiscard]] bool before(const Sequence& a, const Sequence& b) const { return Before{order_.get()}(&a, &b); }
  /// Does one that waits beside the queue go before one in it? By its key, or before all where nothing sorts the queue.
  [[nodiscard]] bool comes_first(const Sequence& beside, const Sequence& waiting) const {
    return !sorted() || before(beside, waiting);
  }
  [[nodiscard]] Sequence& head() const;

  /// Puts a sequence behind those that wait, or at the place of its key.
  void push_back(Sequence& sequence);
  /// Puts a sequence before those that wait, or at the place of its key.
  void push_front(Sequence& sequence);
  /// Takes a sequence out because it runs.
  void admit(Sequence& sequence);
  /// Puts a sequence before all that arrived after it. Only where the queue is in the order of arrival, as it is where
  /// nothing but this and push_back fills it.
  void push_by_arrival(Sequence& sequence);
  /// Takes a sequence out, wherever it stands: constant time for the head, else a walk where nothing sorts the queue.
  void remove(Sequence& sequence);

  /// Tells the order of the cohort that it may read.
  void reads(const LockStep& cohort) {
    if (sorted()) order_->reads(cohort);
  }

  /// Calls `look` with every waiting sequence, head first where the order names no other.
  template <class Look>
  void for_each(const Look& look) const {
    walk([&](Sequence& sequence) {
      look(sequence);
      return true;
    });
  }
  /// Calls `look` with every waiting sequence, head first, until it says false. It may add sequences to a sorted queue.
  template <class Look>
  void walk(const Look& look) const {
    if (sorted()) {
      for (Sequence* sequence : by_key_) {
        if (!look(*sequence)) return;
      }
    } else {
      for (Sequence* sequence : by_arrival_) {
        if (!look(*sequence)) return;
      }
    }
  }
  /// The list itself, head first, for schedulers that sort it by themselves. Only where no QueueOrder does.
  [[nodiscard]] std::deque<Sequence*>& list();

 private:
  struct Before {
    const QueueOrder* order = nullptr;
    bool operator()(const Sequence* a, const Sequence* b) const;
  };

  std::unique_ptr<QueueOrder> order_;
  std::deque<Sequence*> by_arrival_;
  std::set<Sequence*, Before> by_key_;
  std::int64_t next_ticket_ = 0;  // who joins later has the larger one
};

}  // namespace decodesim
