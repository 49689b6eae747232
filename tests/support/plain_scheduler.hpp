#pragma once
// One pass of the vLLM V1 scheduler over plain queues, to be read beside a description of it, line by line.

#include <cstdint>
#include <deque>
#include <string_view>
#include <vector>

#include "sim/serving/observer.hpp"
#include "sim/serving/server_config.hpp"

namespace decodesim::tests {

/// A request in the server.
struct PlainSequence {
  const Request* request = nullptr;
  std::int64_t input = 0;                   // P
  std::int64_t output = 0;                  // O: what it emits before it stops; the scheduler never looks
  std::int64_t emitted = 0;                 // g
  std::int64_t cached = 0;                  // c: tokens whose KV is in its blocks
  std::vector<std::uint32_t> blocks;        // its table
  std::int64_t cached_before_eviction = 0;  // the largest c that a preemption ever took from it
  std::int64_t preemptions = 0;
  std::int64_t self_preemptions = 0;  // those where it evicted itself
  std::int64_t recomputed = 0;
  Time scheduled{Duration(-1)};
  Time first_token{Duration(-1)};
  Time last_token{Duration(-1)};

  /// T: tokens whose ids are known.
  [[nodiscard]] std::int64_t known() const { return input + emitted; }
};

/// What a pass decided.
struct PlainPlan {
  struct Grant {
    PlainSequence* sequence;
    std::int64_t cached;  // before these tokens
    std::int64_t tokens;
  };
  struct Found {
    PlainSequence* sequence;
    std::int64_t tokens;
  };
  struct Cancelled {
    PlainSequence* sequence;
    std::string_view reason;
  };
  std::vector<Grant> scheduled;
  std::vector<PlainSequence*> preempted;
  std::vector<Found> found;  // tokens in place at admission, where there are any
  std::vector<Cancelled> cancelled;
  AdmissionLimit limit = AdmissionLimit::arrivals;

  [[nodiscard]] bool empty() const { return scheduled.empty() && preempted.empty() && cancelled.empty(); }
};

/// The queues and the pool, and the pass over them. Blocks have the ids 1 to usable_blocks.
class PlainScheduler {
 public:
  explicit PlainScheduler(const ServerConfig& server);

  /// One pass; afterwards the tokens it granted count as cached.
  PlainPlan plan();
  /// Gives the blocks of a sequence back, from the last of its table to the first.
  void release(PlainSequence& sequence);

  std::vector<PlainSequence*> running;  // in the order of admission
  std::deque<PlainSequence*> waiting;   // head first
  std::deque<std::uint32_t> free;       // taken from the front, given back to the end

 private:
  void extend_running(PlainPlan& plan);
  void admit_waiting(PlainPlan& plan);
  void give_up(PlainPlan& plan);
  void preempt(PlainSequence* victim, const PlainSequence* requester);
  void take_blocks(PlainSequence& sequence, std::int64_t count);
  [[nodiscard]] std::int64_t found_in_place(const PlainSequence& sequence) const;
  [[nodiscard]] std::int64_t blocks_for(std::int64_t tokens) const;
  [[nodiscard]] std::int64_t free_blocks() const { return static_cast<std::int64_t>(free.size()); }

  const ServerConfig& server_;
  std::int64_t budget_ = 0;
  bool head_refused_for_blocks_ = false;
};

}  // namespace decodesim::tests
