#include "tests/support/plain_policies.hpp"

#include <algorithm>
#include <stdexcept>

#include "sim/core/random.hpp"
#include "tests/support/plain_lengths.hpp"

namespace decodesim::tests {

namespace {

/// Blocks that no other sequence holds. Those of who is gone are held by nobody, though a step in flight may write to them.
std::int64_t blocks_of_its_own(const PlainSequence& sequence, const std::vector<PlainSequence*>& running,
                               const std::deque<PlainSequence*>& loading) {
  std::int64_t own = 0;
  for (std::uint32_t block : sequence.blocks) {
    std::int64_t holders = 0;
    for (const PlainSequence* other : running) holders += std::count(other->blocks.begin(), other->blocks.end(), block);
    for (const PlainSequence* other : loading) holders += std::count(other->blocks.begin(), other->blocks.end(), block);
    own += holders == 1 ? 1 : 0;
  }
  return own;
}

/// Is `a` a better victim than `b`, which was admitted before it?
bool rather_evict_later(const std::string& victim, const PlainSequence& a, const PlainSequence& b,
                        const std::vector<PlainSequence*>& running, const std::deque<PlainSequence*>& loading) {
  const Request& of_a = *a.request;
  const Request& of_b = *b.request;
  if (victim == "last-admitted") return true;
  if (victim == "lowest-priority") {
    if (of_a.priority != of_b.priority) return of_a.priority > of_b.priority;
    return of_a.arrival > of_b.arrival;  // equal ones: the first in running
  }
  if (victim == "fewest-generated") {
    if (a.emitted != b.emitted) return a.emitted < b.emitted;
    return a.input >= b.input;
  }
  if (victim == "most-reclaimable-blocks")
    return blocks_of_its_own(a, running, loading) >= blocks_of_its_own(b, running, loading);
  if (victim == "least-recompute") return a.cached <= b.cached;
  if (victim == "latest-arrival") {
    if (of_a.arrival != of_b.arrival) return of_a.arrival > of_b.arrival;
    return of_a.index > of_b.index;
  }
  throw std::invalid_argument("the plain stepper has no victim '" + victim + "'");
}

/// Must `a` stand before `b`, whatever their places now?
bool goes_before(const std::string& order, const ServerConfig& server, const PlainSequence& a, const PlainSequence& b) {
  const Request& of_a = *a.request;
  const Request& of_b = *b.request;
  if (order == "priority" && of_a.priority != of_b.priority) return of_a.priority < of_b.priority;
  // Under longest-prefix, as they are listed; who is next is another matter.
  if (order == "priority" || order == "arrival" || order == "longest-prefix") {
    if (of_a.arrival != of_b.arrival) return of_a.arrival < of_b.arrival;
    return of_a.index < of_b.index;
  }
  if (order == "fair") return of_a.index < of_b.index;  // as they are listed; who is next is another matter
  if (order == "sjf" || order == "srpt") {
    // What they waited until the last of them joined, or any other instant.
    const auto length = [&](const PlainSequence& one) {
      const std::int64_t done = order == "srpt" ? one.emitted : 0;
      return PlainLength{one.predicted - done, one.waited + (Time{} - one.waits_since), one.request->index};
    };
    return shorter(server.scheduler.ageing, length(a), length(b));
  }
  if (order == "deadline") {
    if (of_a.deadline.has_value() != of_b.deadline.has_value()) return of_a.deadline.has_value();
    if (of_a.deadline && of_a.arrival + *of_a.deadline != of_b.arrival + *of_b.deadline)
      return of_a.arrival + *of_a.deadline < of_b.arrival + *of_b.deadline;
    return of_a.index < of_b.index;
  }
  if (order == "random") {
    const IndexedDraws draws(server.seed, "queue order");
    return draws.number(of_a.index) < draws.number(of_b.index);
  }
  throw std::invalid_argument("the plain stepper has no queue order '" + order + "'");
}

/// Behind the last that must stand before it.
void insert_sorted(const std::string& order, const ServerConfig& server, std::deque<PlainSequence*>& waiting,
                   PlainSequence* sequence) {
  std::size_t place = 0;
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    if (!goes_before(order, server, *sequence, *waiting[i])) place = i + 1;
  }
  waiting.insert(waiting.begin() + static_cast<std::ptrdiff_t>(place), sequence);
}

}  // namespace

std::size_t choose_plain_victim(const std::string& victim, const std::vector<PlainSequence*>& running,
                                const std::deque<PlainSequence*>& loading) {
  std::size_t chosen = 0;
  for (std::size_t i = 1; i < running.size(); ++i) {
    if (rather_evict_later(victim, *running[i], *running[chosen], running, loading)) chosen = i;
  }
  return chosen;
}

void enter_plain_queue(const std::string& order, const ServerConfig& server, std::deque<PlainSequence*>& waiting,
                       PlainSequence* sequence) {
  if (order == "fcfs") {
    waiting.push_back(sequence);
  } else {
    insert_sorted(order, server, waiting, sequence);
  }
}

void put_plain_victim(const std::string& destination, const std::string& order, const ServerConfig& server,
                      std::deque<PlainSequence*>& waiting, PlainSequence* victim) {
  if (destination == "head") {
    waiting.push_front(victim);
  } else if (destination == "tail") {
    waiting.push_back(victim);
  } else if (destination == "same-place") {
    insert_sorted("arrival", server, waiting, victim);
  } else if (destination == "by-key") {
    insert_sorted(order, server, waiting, victim);
  } else {
    throw std::invalid_argument("the plain stepper has no destination '" + destination + "'");
  }
}

}  // namespace decodesim::tests
