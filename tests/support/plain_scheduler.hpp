#pragma once
// What the engines of the plain stepper have in common: their sequences, their plans, a pool of blocks.

#include <cstdint>
#include <deque>
#include <memory>
#include <set>
#include <string_view>
#include <vector>

#include "sim/serving/observer.hpp"
#include "sim/serving/server_config.hpp"

namespace decodesim::tests {

/// A request in the server.
struct PlainSequence {
  const Request* request = nullptr;
  std::int64_t input = 0;                   // P
  std::int64_t allowed = 0;                 // M: what it may emit, by max_tokens and max_model_len
  std::int64_t output = 0;                  // O: what it emits before it stops; the scheduler never looks
  std::int64_t emitted = 0;                 // g
  std::int64_t cached = 0;                  // c: tokens whose KV is in its blocks
  std::vector<std::uint32_t> blocks;        // its table
  std::int64_t cached_before_eviction = 0;  // the largest c that a preemption ever took from it
  std::int64_t preemptions = 0;
  std::int64_t self_preemptions = 0;  // those where it evicted itself
  std::int64_t recomputed = 0;
  std::int64_t discarded = 0;
  std::int64_t swapped_out = 0;  // tokens that went to the host
  std::int64_t host_blocks = 0;  // it holds there
  std::int64_t arrival = 0;      // its place in the order of arrival
  std::int64_t predicted = 0;    // what a predictor makes of its output, where the engine has one
  Duration waited{};             // in stretches that are over
  Time waits_since{};            // while it waits
  std::int64_t found_first = 0;
  std::int64_t found_again = 0;
  std::int64_t host_found = 0;
  std::int64_t remote_found = 0;
  std::int64_t loads = 0;
  Duration loading{};
  Time load_began{};
  Time load_ends{};                // of the KV that it loads, or loaded last
  std::int64_t needs_no_load = 0;  // tokens that it found on the device as that began
  bool loaded_before = false;      // its KV came from elsewhere, which happens once
  bool admitted = false;
  bool over = false;                // O tokens are out, though the scheduler may learn it a pass later
  bool left = false;                // its client is gone, though a step may still compute it
  bool given_up = false;            // by the engine; it goes with the end of the pass
  Duration recompute_at_arrival{};  // spent by all steps until then
  Duration recompute_at_first_token{};
  Time scheduled{Duration(-1)};
  Time first_token{Duration(-1)};
  Time last_token{Duration(-1)};
  Time token_before{Duration(-1)};  // the one before that

  /// T: tokens whose ids are known.
  [[nodiscard]] std::int64_t known() const { return input + emitted; }
};

/// One eviction, as it is told.
struct PlainEviction {
  PlainSequence* victim;
  const PlainSequence* requester;  // null: nobody in particular
  EvictionReason reason;
  std::int64_t tokens;
  std::int64_t blocks;
  std::int64_t free_before;
  KvFate fate = KvFate::dropped;
};

/// What a pass decided.
struct PlainPlan {
  struct Grant {
    PlainSequence* sequence;
    std::int64_t cached;  // before these tokens
    std::int64_t tokens;
    std::int64_t drafts = 0;  // that are verified beside them
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
  std::vector<PlainEviction> evictions;   // the same, with what is told of them
  std::vector<WithdrawnToken> withdrawn;  // tokens of the step before that nobody looked at, lost with their sequences
  struct SwapIn {
    PlainSequence* sequence;
    std::int64_t tokens;  // that came back from the host
    std::int64_t blocks;
  };
  std::vector<SwapIn> swapped_in;
  std::vector<SwapIn> loaded;         // of the tokens found at admission, those that come from the host tier
  std::vector<SwapIn> loaded_beside;  // the same for who waited while they came, from there or from elsewhere
  std::vector<PlainSequence*> loads;  // who begins to load
  std::int64_t blocks_loading = 0;    // that they load from the host tier
  std::int64_t blocks_stored = 0;     // that go there
  std::vector<Found> found;           // tokens in place at admission, where there are any
  std::vector<Cancelled> cancelled;
  AdmissionLimit limit = AdmissionLimit::arrivals;
  StepShape padding;  // slots without a request that the step computes all the same

  bool moved = false;  // the engine moved: where the pass is empty, it has another at once

  [[nodiscard]] bool empty() const {
    return scheduled.empty() && preempted.empty() && loads.empty() && swapped_in.empty() && cancelled.empty();
  }
};

/// An engine over plain queues. Each is one file, plain_ENGINE.cpp, to be read beside a description of it, line by line.
class PlainScheduler {
 public:
  virtual ~PlainScheduler() = default;

  /// One pass; afterwards the tokens it granted count as cached.
  virtual PlainPlan plan() = 0;
  /// Could it be served to its end if nobody else were there?
  [[nodiscard]] virtual bool fits_alone(const PlainSequence& sequence) const = 0;
  /// The most tokens that the engine lets a request generate, where that is fewer than the client asked for.
  [[nodiscard]] virtual std::int64_t output_limit(const Request& request) const { return request.max_tokens; }
  /// Nobody was there for so many passes before the next; two where passes take no time.
  virtual void idled(std::int64_t) {}
  /// What the engine keeps in mind.
  virtual void describe(EngineFigures&) const {}
  /// A request joins the queue.
  virtual void arrived(PlainSequence& sequence) { waiting.push_back(&sequence); }
  /// The step of the last plan is over, after so long; its tokens are out.
  virtual void step_ended(const PlainPlan&, Duration) {}
  /// Planned ahead: the pass is decided, and what the step before it yielded is looked at.
  virtual void results_seen() {}
  /// A sequence emitted its last token: takes it out of `running`, or out of `waiting` where a pass evicted it before it
  /// was told, and its memory back.
  virtual void ended(PlainSequence& sequence) = 0;
  /// Its client left, wherever it is: takes it out of every list, and its memory back.
  virtual void left(PlainSequence& sequence);
  /// The step before the planned one is over for the engine too: blocks that waited for that are free. Were there any?
  virtual bool retire() { return false; }
  /// Everybody who waits, the one that goes first at the head.
  [[nodiscard]] virtual std::deque<PlainSequence*> queue() const { return waiting; }
  [[nodiscard]] bool nobody_is_there() const {
    return running.empty() && waiting.empty() && swapped.empty() && loading.empty();
  }
  [[nodiscard]] virtual std::int64_t free_blocks() const = 0;
  /// How the slots of its memory are used.
  [[nodiscard]] virtual KvSlots slots() const = 0;
  [[nodiscard]] virtual std::int64_t cached_blocks_evicted() const { return 0; }
  /// The free queue and the blocks that can be found, where the engine has them.
  [[nodiscard]] virtual MemoryFacts memory() const { return {}; }

  Time now{};                           // of the pass at hand
  std::vector<PlainSequence*> running;  // in the order of admission, or of arrival where the engine sorts them so
  std::deque<PlainSequence*> waiting;   // head first
  std::vector<PlainSequence*> swapped;  // whose KV is on the host
  std::deque<PlainSequence*> loading;   // who waits for KV that is on its way, or with it; who goes first at the head
};

/// The engine that `server` names.
std::unique_ptr<PlainScheduler> make_plain_scheduler(const ServerConfig& server);

// The engines.
std::unique_ptr<PlainScheduler> make_plain_vllm_v1(const ServerConfig& server);
std::unique_ptr<PlainScheduler> make_plain_sjf(const ServerConfig& server);
std::unique_ptr<PlainScheduler> make_plain_vtc(const ServerConfig& server);
std::unique_ptr<PlainScheduler> make_plain_srpt(const ServerConfig& server);
std::unique_ptr<PlainScheduler> make_plain_mlfq(const ServerConfig& server);
std::unique_ptr<PlainScheduler> make_plain_orca(const ServerConfig& server);
std::unique_ptr<PlainScheduler> make_plain_static_batch(const ServerConfig& server);
std::unique_ptr<PlainScheduler> make_plain_trtllm(const ServerConfig& server);
std::unique_ptr<PlainScheduler> make_plain_sglang(const ServerConfig& server);
std::unique_ptr<PlainScheduler> make_plain_vllm_v0(const ServerConfig& server);
std::unique_ptr<PlainScheduler> make_plain_sarathi(const ServerConfig& server);

/// The pool as a list of free blocks with the ids 1 to usable_blocks: taken from the front, given back to the end.
class PlainPool {
 public:
  explicit PlainPool(const ServerConfig& server);
  [[nodiscard]] KvSlots slots() const { return {total_ * block_size_, (total_ - free()) * block_size_, {}}; }
  [[nodiscard]] MemoryFacts memory() const { return {{free_.begin(), free_.end()}, {}}; }
  [[nodiscard]] std::int64_t free() const { return static_cast<std::int64_t>(free_.size()); }
  [[nodiscard]] std::int64_t blocks_for(std::int64_t tokens) const { return (tokens + block_size_ - 1) / block_size_; }
  void take(PlainSequence& sequence, std::int64_t count);
  /// Gives the blocks of a sequence back, from the last of its table to the first.
  void release(PlainSequence& sequence);

 private:
  std::int64_t block_size_;
  std::int64_t total_;
  std::deque<std::uint32_t> free_;
};

/// An engine whose sequences hold blocks of one such pool and nothing else.
class PlainPoolScheduler : public PlainScheduler {
 public:
  explicit PlainPoolScheduler(const ServerConfig& server) : server_(server), pool_(server) {}
  [[nodiscard]] bool fits_alone(const PlainSequence& sequence) const override {
    return pool_.blocks_for(sequence.input + sequence.output - 1) <= server_.usable_blocks;
  }
  void ended(PlainSequence& sequence) override;
  [[nodiscard]] std::int64_t free_blocks() const override { return pool_.free(); }
  [[nodiscard]] KvSlots slots() const override { return pool_.slots(); }
  [[nodiscard]] MemoryFacts memory() const override { return pool_.memory(); }

 protected:
  const ServerConfig& server_;
  PlainPool pool_;
};

inline bool older(const PlainSequence* a, const PlainSequence* b) { return a->arrival < b->arrival; }

/// Ends a pass of who serves by arrival: puts its lists in that order, counts what it granted as cached, and adds to
/// `decoding` who has nothing left to compute but its next token.
void close_by_arrival(std::vector<PlainSequence*>& running, PlainPlan& plan, std::set<const PlainSequence*>& decoding);

/// The blocks that admission leaves free: scheduler.watermark of all, rounded down.
std::int64_t watermark_of(const ServerConfig& server);

/// Tokens of a sequence that is to be admitted whose KV arrives with it, or comes back to it after a preemption, at no
/// cost.
std::int64_t found_in_place(const ServerConfig& server, const PlainSequence& sequence);

/// Cancels a victim that evicted itself too often to go on, and says so; else it is to wait.
bool gave_up(PlainPlan& plan, const ServerConfig& server, PlainSequence* victim);

/// The books of a swap to the host: the victim keeps its tokens, and `blocks` of the host are its own. Its memory is not
/// touched, nor any list.
PlainEviction keep_kv_on_host(PlainSequence& victim, const PlainSequence* requester, EvictionReason reason,
                              std::int64_t free_before, std::int64_t free_after);

/// The token under way of a victim is lost: it is as if the step before had not yielded it, even where it was the last.
WithdrawnToken lose_token(PlainSequence& victim);

/// The books of an eviction: what the victim loses and what is told of it. Its memory is not touched, nor any list.
PlainEviction lose_kv(PlainSequence& victim, const PlainSequence* requester, EvictionReason reason,
                      std::int64_t free_before, std::int64_t free_after);

}  // namespace decodesim::tests
