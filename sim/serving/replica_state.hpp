#pragma once
// What a replica owns: its memory, its queue and its running sequences. Policies see it through ReplicaView and change it
// through Draft, never directly.

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/serving/kv_memory.hpp"
#include "sim/serving/lock_step.hpp"
#include "sim/serving/observer.hpp"
#include "sim/serving/sequence.hpp"
#include "sim/serving/server_config.hpp"
#include "sim/serving/waiting_queue.hpp"

namespace decodesim {

/// Tokens that a step computes of a sequence that is not in lock-step.
struct Chunk {
  Sequence* sequence = nullptr;
  std::int64_t tokens = 0;
};

/// Room for swapped KV on the host; its blocks have no identities.
struct HostPool {
  std::int64_t total = 0;
  std::int64_t used = 0;
  [[nodiscard]] std::int64_t free() const { return total - used; }
};

/// How running sequences are sorted: by admission, or by arrival whenever they were admitted.
enum class RunningOrder { admission, arrival, priority_arrival };

/// A request that the engine gave up, and why.
struct GivenUp {
  Sequence* sequence = nullptr;
  std::string_view reason;
};

/// What one pass decided.
struct PassDecisions {
  bool decodes = true;                    // every member of the cohort gets one token; else all of them wait
  StepShape padding;                      // slots without a request that the step computes all the same
  std::vector<Chunk> chunks;              // who gets tokens beside the cohort
  std::vector<Sequence*> preempted;       // in the order of eviction
  std::vector<EvictionFacts> evictions;   // the same, told
  std::vector<WithdrawnToken> withdrawn;  // tokens of the step before that were lost with them
  std::vector<GivenUp> dropped;           // requests that were given up, in the order of the decisions
  bool gave_up_victim = false;            // one of them evicted itself too often to return
  std::vector<Sequence*> entered;         // who took a place among the running, whatever became of it later in the pass
  std::vector<Chunk> found;               // tokens found in place at admission, where there were any
  std::vector<Sequence*> loads;           // who began to load KV
  std::vector<Chunk> swapped_in;          // who came back from the host, with its tokens
  std::vector<SwapFacts> swaps;           // whose blocks were moved
  std::int64_t blocks_out = 0;            // moved to the host, and back
  std::int64_t blocks_in = 0;
  std::int64_t blocks_stored = 0;  // moved to the host tier, and from it
  std::int64_t blocks_loaded = 0;
  std::int64_t blocks_loading = 0;  // the same, beside the steps: no step waits for them
  std::int64_t host_found = 0;      // tokens
  std::int64_t remote_found = 0;
  AdmissionLimit limit = AdmissionLimit::arrivals;
  bool moved = false;  // an empty pass is worth another at once
  std::int64_t found_first = 0;
  std::int64_t found_again = 0;

  /// Did the pass decide nothing, where so many sequences decode unless they wait?
  [[nodiscard]] bool empty(std::int64_t decoding) const {
    return (decoding == 0 || !decodes) && chunks.empty() && preempted.empty() && loads.empty() && swapped_in.empty() &&
           dropped.empty();
  }
  void clear() {
    decodes = true;
    padding = {};
    chunks.clear();
    preempted.clear();
    evictions.clear();
    withdrawn.clear();
    dropped.clear();
    gave_up_victim = false;
    entered.clear();
    found.clear();
    loads.clear();
    swapped_in.clear();
    swaps.clear();
    blocks_out = blocks_in = blocks_stored = blocks_loaded = blocks_loading = host_found = remote_found = 0;
    limit = AdmissionLimit::arrivals;
    moved = false;
    found_first = found_again = 0;
  }
};

/// Running sequences are in order of admission, or of arrival. Each decodes with the cohort, prefills, or is stalled.
struct ReplicaState {
  ReplicaState(const ServerConfig& server, std::unique_ptr<KvMemory> kv, std::unique_ptr<QueueOrder> order,
               RunningOrder sorted_by = RunningOrder::admission)
      : config(server),
        memory(std::move(kv)),
        host{server.host_blocks},
        waiting(std::move(order)),
        running_order(sorted_by),
        cohort(server.block_size, server.scheduler.speculative.on() ? Gains(server.scheduler.speculative) : Gains(),
               server.attention_clip) {
    waiting.reads(cohort);
  }

  /// Gives back what a swapped sequence holds on the host.
  void leave_host(Sequence& sequence) {
    std::erase(swapped, &sequence);
    host.used -= std::exchange(sequence.host_blocks, 0);
  }

  ServerConfig config;
  std::unique_ptr<KvMemory> memory;
  HostPool host;
  WaitingQueue waiting;
  RunningOrder running_order;
  SequenceList<&Sequence::running> running;
  LockStep cohort;
  std::vector<Sequence*> prefilling;  // the running sequences that do not decode yet, in the order of `running`
  std::vector<Sequence*> swapped;     // whose KV is on the host, by arrival
  std::vector<Sequence*> loading;     // whose KV is on the way or has come, in the order in which they are admitted
  Time now{};                         // of the pass at hand
  std::int64_t next_order = 0;
  std::int64_t cached_tokens = 0;  // KV of all running sequences
};

}  // namespace decodesim
