#pragma once
// What a replica owns: its pool, its queue and its running sequences. Policies see it through ReplicaView and change it
// through Draft, never directly.

#include <cstdint>
#include <deque>
#include <vector>

#include "sim/serving/block_pool.hpp"
#include "sim/serving/lock_step.hpp"
#include "sim/serving/observer.hpp"
#include "sim/serving/sequence.hpp"
#include "sim/serving/server_config.hpp"

namespace decodesim {

/// Tokens that a step computes of a sequence that is not in lock-step.
struct Chunk {
  Sequence* sequence = nullptr;
  std::int64_t tokens = 0;
};

/// What one pass decided beyond "every member of the cohort gets one token".
struct PassDecisions {
  std::vector<Chunk> chunks;         // by order of admission, newly admitted ones last
  std::vector<Sequence*> preempted;  // in the order of eviction
  std::vector<Chunk> found;          // tokens found in place at admission, where there were any
  AdmissionLimit limit = AdmissionLimit::arrivals;

  void clear() {
    chunks.clear();
    preempted.clear();
    found.clear();
    limit = AdmissionLimit::arrivals;
  }
};

/// Running sequences are in order of admission. Each either decodes with the cohort or prefills.
struct ReplicaState {
  explicit ReplicaState(const ServerConfig& server)
      : config(server), pool(server.usable_blocks), cohort(server.block_size) {}

  [[nodiscard]] std::int64_t blocks_for(std::int64_t tokens) const {
    return (tokens + config.block_size - 1) / config.block_size;
  }

  ServerConfig config;
  BlockPool pool;
  std::deque<Sequence*> waiting;
  SequenceList<&Sequence::running> running;
  LockStep cohort;
  std::vector<Sequence*> prefilling;  // the running sequences that do not decode yet, by order of admission
  std::int64_t next_order = 0;
  std::int64_t cached_tokens = 0;  // KV of all running sequences
};

}  // namespace decodesim
