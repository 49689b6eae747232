#pragma once
// Notices a server that works without getting anywhere.

#include <cstdint>
#include <string>

#include "sim/serving/sequence.hpp"

namespace decodesim {

/// Counts preemptions since the last token, arrival or departure. A server that evicts without end and yields nothing is
/// in a cycle: total tokens are finite, so a run without end has such a stretch without end. A healthy pass may evict all
/// that runs, but then something must come of it; eight rounds of that, and a thousand for tiny servers, are not healthy.
class Watchdog {
 public:
  explicit Watchdog(std::int64_t max_num_seqs) : preemptions_max_(1000 + 8 * max_num_seqs) {}

  void progress() { preemptions_ = 0; }
  void preempted(std::int64_t count) { preemptions_ += count; }
  [[nodiscard]] bool cycling() const { return preemptions_ > preemptions_max_; }
  [[nodiscard]] std::int64_t preemptions() const { return preemptions_; }

 private:
  std::int64_t preemptions_max_;
  std::int64_t preemptions_ = 0;
};

/// How messages name a request: its id, or its position in the workload.
inline std::string name_of(const Request& request) {
  return request.id.empty() ? "request " + std::to_string(request.index) : request.id;
}

}  // namespace decodesim
