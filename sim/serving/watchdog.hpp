#pragma once
// Notices a server that works without getting anywhere.

#include <algorithm>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include "sim/serving/observer.hpp"
#include "sim/serving/sequence.hpp"

namespace decodesim {

/// How messages name a request: its id, or its position in the workload.
inline std::string name_of(const Request& request) {
  return request.id.empty() ? "request " + std::to_string(request.index) : request.id.text();
}

/// Counts preemptions since the last token, arrival or departure. A server that evicts without end and yields nothing is
/// in a cycle: total tokens are finite, so a run without end has such a stretch without end. A healthy pass may evict all
/// that runs, but then something must come of it; eight rounds of that, and a thousand for tiny servers, are not healthy.
class Watchdog {
 public:
  explicit Watchdog(std::int64_t max_num_seqs) : preemptions_max_(1000 + 8 * max_num_seqs) {}

  void progress() {
    preemptions_ = 0;
    last_.clear();
  }
  void preempted(std::span<const EvictionFacts> evictions) {
    preemptions_ += static_cast<std::int64_t>(evictions.size());
    for (const EvictionFacts& one : evictions) last_.push_back({one.requester, one.victim});
    while (last_.size() > remembered) last_.pop_front();
  }
  [[nodiscard]] bool cycling() const { return preemptions_ > preemptions_max_; }
  [[nodiscard]] std::int64_t preemptions() const { return preemptions_; }
  /// Who evicts whom in the cycle: "B evicts A, A evicts B"; of a long one its last part.
  [[nodiscard]] std::string cycle() const {
    std::string text;
    std::vector<Pair> told;
    for (const Pair& pair : last_) {
      if (std::find(told.begin(), told.end(), pair) != told.end()) continue;
      told.push_back(pair);
      const std::string victim = pair.requester == pair.victim ? "itself" : name_of(*pair.victim);
      text += (text.empty() ? "" : ", ") +
              (pair.requester != nullptr ? name_of(*pair.requester) + " evicts " + victim : victim + " is evicted");
    }
    return text;
  }

 private:
  struct Pair {
    const Request* requester;  // null: nobody in particular
    const Request* victim;

    friend bool operator==(const Pair&, const Pair&) = default;
  };
  static constexpr std::size_t remembered = 6;

  std::int64_t preemptions_max_;
  std::int64_t preemptions_ = 0;
  std::deque<Pair> last_;  // since the last progress
};

}  // namespace decodesim
